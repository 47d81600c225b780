/// The findings when the store was opened.
package struct OpeningReport: Hashable, Sendable {
    /// A file that could not be used and was put aside.
    package struct Damage: Hashable, Sendable {
        /// The new path of the file. The agent does not delete it.
        package var asidePath: String
        /// The damage.
        package var reason: String
        /// The number of records salvaged from it.
        package var salvagedCount: Int
        /// The epoch of those records; nil if it could not be read.
        package var oldEpoch: Int64?
        /// Whether the tracker's state was salvaged too.
        package var isStateSalvaged: Bool
    }

    /// Evidence that a database with an intact structure is not as the last run left it. Records may be lost.
    package enum Inconsistency: Hashable, Sendable, CustomStringConvertible {
        /// The database has fewer records than were committed: it is in an earlier state.
        case reverted(newest: Int64, committedThrough: Int64)
        /// The agent did not close the database, and the write-ahead log is missing or shorter than it was.
        case logLost
        /// The agent did not close the database, and the write-ahead log is damaged. Later transactions are lost.
        case logDamaged
        /// There is a sequence reservation, but its database is missing.
        case databaseMissing(epoch: Int64, reservedThrough: Int64)
        /// There is a database, but its reservation file is missing.
        case reservationMissing
        /// The reservation file cannot be read.
        case reservationUnreadable
        /// The reservation is older than the database.
        case reservationOutdated(newest: Int64, reservedThrough: Int64)
        /// The reservation belongs to another database.
        case otherDatabase(epoch: Int64, reservedThrough: Int64)

        /// The finding and its consequence.
        package var description: String {
            switch self {
            case .reverted(let newest, let committedThrough):
                "the database is in an earlier state: it ends with record \(newest), but records up to "
                    + "\(committedThrough) were stored; the missing ones were published before, or are lost; check the disk"
            case .logLost:
                "the write-ahead log beside the database is missing, too short or unreadable, and the agent did not stop "
                    + "properly: the last records may be lost; check the disk"
            case .logDamaged:
                "the write-ahead log beside the database is damaged, and the agent did not stop properly: the last "
                    + "records may be lost; check the disk"
            case .databaseMissing(let epoch, _):
                "the database of epoch \(epoch) is missing; its unpublished records are lost; a new one was created"
            case .reservationMissing:
                "the file of reserved record numbers is missing (beside the database, its name ends with "
                    + "\(StoreFileSystem.reservationSuffix)): records may be lost, and a new epoch begins"
            case .reservationUnreadable:
                "the file of reserved record numbers cannot be read (beside the database, its name ends with "
                    + "\(StoreFileSystem.reservationSuffix)): a new epoch begins; check the disk"
            case .reservationOutdated(let newest, let reservedThrough):
                "the file of reserved record numbers is older than the database, which has record \(newest); "
                    + "\(reservedThrough) is the last reserved number; a new epoch begins"
            case .otherDatabase(let epoch, _):
                "the database is not the previous one of epoch \(epoch): it is a copy of another database, or an older "
                    + "one; records may be lost, and a new epoch begins"
            }
        }
    }

    /// The epoch of new records.
    package var epoch: Int64
    /// Whether the database was created: there was none, or a damaged one.
    package var isNew: Bool
    /// The file that was put aside. Nil if there is none.
    package var damage: Damage?
    /// The evidence that the database is not as the last run left it. Nil if there is none.
    package var inconsistency: Inconsistency?
    /// The most records that the last run can have published after the state that the database is in;
    /// ``unknownLoss`` if nothing bounds them.
    package var lostRecords = 0

    /// A number of records that no event of the timeline reaches.
    package static let unknownLoss = 1_000_000
}
