/// What was found when the store was opened.
public struct OpeningReport: Hashable, Sendable {
    /// A file that could not be used and was put aside.
    public struct Damage: Hashable, Sendable {
        /// Where it is now. It is not deleted by the agent.
        public var asidePath: String
        /// What was wrong with it.
        public var reason: String
        /// How many records were salvaged from it.
        public var salvagedCount: Int
        /// The epoch of those records; nil when it could not be read.
        public var oldEpoch: Int64?
        /// Whether the tracker's state was salvaged, too.
        public var isStateSalvaged: Bool
    }

    /// What shows that a database is not as the last run left it, although its structure is whole. Records may be lost.
    public enum Inconsistency: Hashable, Sendable, CustomStringConvertible {
        /// The database has fewer records than were committed: it came back in an earlier state.
        case reverted(newest: Int64, committedThrough: Int64)
        /// The agent did not end properly, and the write-ahead log is missing or shorter than it was.
        case logLost
        /// The agent did not end properly, and the write-ahead log is damaged: what was committed behind the damage is
        /// lost.
        case logDamaged
        /// There is a record of reserved numbers, and its database is gone.
        case databaseMissing(epoch: Int64, reservedThrough: Int64)
        /// There is a database, and the record of its numbers is gone.
        case reservationMissing
        /// The record of the numbers cannot be read.
        case reservationUnreadable
        /// The record of the numbers is older than the database.
        case reservationOutdated(newest: Int64, reservedThrough: Int64)
        /// The record of the numbers belongs to another database.
        case otherDatabase(epoch: Int64, reservedThrough: Int64)

        /// What is wrong, and what follows from it.
        public var description: String {
            switch self {
            case .reverted(let newest, let committedThrough):
                "the database came back in an earlier state: it ends with record \(newest), and records up to "
                    + "\(committedThrough) were stored; what is missing was published before, or is lost; check the disk"
            case .logLost:
                "the write-ahead log beside the database is missing, too short or unreadable, and the agent did not end properly: "
                    + "the last records may be lost; check the disk"
            case .logDamaged:
                "the write-ahead log beside the database is damaged, and the agent did not end properly: the last records "
                    + "may be lost; check the disk"
            case .databaseMissing(let epoch, _):
                "the database of epoch \(epoch) is gone, with all that was not published; another was begun"
            case .reservationMissing:
                "the record of the database's numbers is missing (the file beside it whose name ends with "
                    + "\(StoreFileSystem.reservationSuffix)): records may be lost, and a new epoch begins"
            case .reservationUnreadable:
                "the record of the database's numbers cannot be read (the file beside it whose name ends with "
                    + "\(StoreFileSystem.reservationSuffix)): a new epoch begins; check the disk"
            case .reservationOutdated(let newest, let reservedThrough):
                "the record of the database's numbers is older than the database, which has record \(newest), while "
                    + "\(reservedThrough) was the last that might be used: a new epoch begins"
            case .otherDatabase(let epoch, _):
                "the database is not that of epoch \(epoch), which was here before: it is a copy of another one, or an "
                    + "older one; records may be lost, and a new epoch begins"
            }
        }
    }

    /// The epoch of new records.
    public var epoch: Int64
    /// Whether the database was begun anew: there was none, or a damaged one.
    public var isNew: Bool
    /// The version of the schema that it had. Nil when it had the newest, or was made.
    public var migratedFromVersion: Int?
    /// What was put aside. Nil when nothing was.
    public var damage: Damage?
    /// What shows that the database is not as the last run left it. Nil when nothing does.
    public var inconsistency: Inconsistency?
}
