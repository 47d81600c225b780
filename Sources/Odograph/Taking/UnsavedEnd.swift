/// The records and the state that end with a run because they could not be stored.
struct UnsavedEnd: Hashable {
    /// The number of records that no commit has taken, with those that were given up before.
    var records: Int
    /// Whether the database ends too: it is in memory, or its file has no name and cannot be written again.
    var isDatabaseLost: Bool
}
