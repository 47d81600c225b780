import OdographCivilTime

/// The table `rejected`: the newest messages that violate the contract. No vehicle removes those of the others.
final class RejectedTable {
    /// The number of rows that are kept.
    static let maximumRows = 10_000
    /// The number of rows that are kept of a vehicle.
    static let maximumRowsOfVehicle = 1000
    /// The number of new rows of a vehicle after which its oldest ones are removed: each removal reads the table.
    private static let removalStep = 100
    /// The number of vehicles whose new rows are counted. The memory stays bounded if a client invents names.
    private static let maximumVehicles = 10_000
    /// The part of a payload that is kept, bytes.
    static let maximumBytes = 4096

    private let insertion: any RecorderStatement
    private let deletion: any RecorderStatement
    private let deletionOfVehicle: any RecorderStatement
    /// The number of new rows since the last removal, by the beginning of the topics of a vehicle.
    private var newRows: [String: Int] = [:]

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
        deletionOfVehicle = try connection.prepare(
            """
            DELETE FROM rejected WHERE substr(topic, 1, length(?1)) = ?1 AND id <= (
                SELECT id FROM rejected WHERE substr(topic, 1, length(?1)) = ?1 ORDER BY id DESC
                LIMIT 1 OFFSET \(Self.maximumRowsOfVehicle))
            """)
    }

    /// Stores a message, unless it is stored.
    func insert(
        topic: String, payload: [UInt8], bytes: Int, reason: RejectionReason, received: Timestamp
    ) throws(DatabaseFailure) {
        try insertion.run(
            .text(topic), .integer(Int64(bytes)), .blob(Array(payload.prefix(Self.maximumBytes))),
            .text(reason.description), .time(received))
        let levels = topic.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let vehicle = levels.count > 3 ? levels.prefix(3).joined(separator: "/") + "/" : topic
        // After a start it is not known how many rows there are.
        newRows[vehicle, default: Self.removalStep] += 1
    }

    /// Removes the oldest rows beyond the limits.
    func removeOldest() throws(DatabaseFailure) {
        for (vehicle, count) in newRows where count >= Self.removalStep {
            try deletionOfVehicle.run(.text(vehicle))
            newRows[vehicle] = 0
        }
        if newRows.count > Self.maximumVehicles { newRows.removeAll() }
        try deletion.run()
    }
}
