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

    /// The epoch of new records.
    public var epoch: Int64
    /// Whether the database was begun anew: there was none, or a damaged one.
    public var isNew: Bool
    /// The version of the schema that it had. Nil when it had the newest, or was made.
    public var migratedFromVersion: Int?
    /// What was put aside. Nil when nothing was.
    public var damage: Damage?
}
