/// The records of a recorder's database, in the order in which they were stored.
package protocol RelaySource: AnyObject {
    /// Begins after the newest record, if there was no relay before.
    func beginRelay() throws(DatabaseFailure)

    /// Returns the records after the place of the relay.
    func relayPage() throws(DatabaseFailure) -> RelayPage

    /// Moves the place of the relay, and counts records.
    /// - Parameters:
    ///   - place: The key of the last record that is done.
    ///   - page: The page that contains it.
    ///   - relayed: The number of further records that the target has accepted.
    ///   - refused: The number of further records that it has refused.
    func moveRelay(to place: Int64, in page: RelayPage, relayed: Int, refused: Int) throws(DatabaseFailure)
}
