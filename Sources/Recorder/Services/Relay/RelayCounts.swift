/// The state of the relay.
package struct RelayCounts: Hashable, Sendable, Codable {
    /// The number of records that the target has accepted.
    package var relayed: Int
    /// The number of records that it has refused.
    package var refused: Int
    /// The number of records after the place of the relay, of all kinds. Removed records can be in it.
    package var waiting: Int

    /// Reads the state; nil if there was no relay.
    static func read(from connection: any RecorderConnection) throws(DatabaseFailure) -> RelayCounts? {
        try connection.prepare(
            "SELECT relayed, refused, coalesce((\(connection.dialect.newestRecordKey)), 0) - record FROM relays"
        ).first { row in
            RelayCounts(
                relayed: Int(row.integer(0)), refused: Int(row.integer(1)), waiting: max(Int(row.integer(2)), 0))
        }
    }
}
