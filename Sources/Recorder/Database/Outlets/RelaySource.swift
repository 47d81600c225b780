/// The records of a recorder's database, in the order in which they were stored.
package protocol RelaySource: AnyObject {
    /// Returns the records after the place of the relay.
    func page() throws(DatabaseFailure) -> RelayPage

    /// Moves the place of the relay, and counts records.
    /// - Parameters:
    ///   - place: The key of the last record that is done.
    ///   - page: The page that contains it.
    ///   - relayed: The number of further records that the target has accepted.
    ///   - refused: The number of further records that it has refused.
    func move(to place: Int64, in page: RelayPage, relayed: Int, refused: Int) throws(DatabaseFailure)
}

/// A record that the relay sends.
package struct RelayedRecord: Hashable, Sendable {
    /// The key in the database.
    let key: Int64
    let fleet: String
    /// The vehicle's name, from the topic.
    let device: String
    /// The payload as the vehicle published it.
    let payload: String
}

/// Records that follow the place of the relay.
package struct RelayPage: Hashable, Sendable {
    /// The positions, in the order in which they were stored.
    var records: [RelayedRecord]
    /// The place after these records; nil if there is nothing further.
    var end: Int64?
    /// How often the newest record had been removed.
    var removals: Int64
}
