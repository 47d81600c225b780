import OdographCivilTime

/// The table `rejected`: the newest messages that violate the contract.
final class RejectedTable {
    /// The number of rows that are kept.
    static let maximumRows = 10_000
    /// The part of a payload that is kept, bytes.
    static let maximumBytes = 4096

    private let insertion: any RecorderStatement
    private let deletion: any RecorderStatement

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        insertion = try connection.prepare(
            """
            INSERT INTO rejected (topic, bytes, payload, reason, received) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT DO NOTHING
            """)
        deletion = try connection.prepare(
            """
            DELETE FROM rejected WHERE id <= (
                SELECT id FROM rejected ORDER BY id DESC LIMIT 1 OFFSET \(Self.maximumRows))
            """)
    }

    /// Stores a message, unless it is stored.
    func insert(
        topic: String, payload: [UInt8], bytes: Int, reason: RejectionReason, received: Timestamp
    ) throws(DatabaseFailure) {
        try insertion.run(
            .text(topic), .integer(Int64(bytes)), .blob(Array(payload.prefix(Self.maximumBytes))),
            .text(reason.description), .time(received))
    }

    /// Removes the oldest rows beyond the limit.
    func removeOldest() throws(DatabaseFailure) { try deletion.run() }
}
