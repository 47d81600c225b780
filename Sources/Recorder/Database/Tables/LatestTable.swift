import OdographCivilTime
import OdographWire

/// The table `latest`.
final class LatestTable {
    /// A record that is the newest of its vehicle and kind, if the table has no newer one.
    struct Entry {
        /// The key of the vehicle.
        let vehicle: Int64
        let kind: UplinkChannel
        let number: RecordKey
        let time: Timestamp?
    }

    private let update: any RecorderRowStatement

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        let columns: [RowStatement.Column] = [
            .integer("vehicle"), .text("kind"), .integer("epoch"), .integer("seq"), .time("time"),
        ]
        update = try connection.prepare(
            RowStatement(
                columns: columns,
                sql: """
                    INSERT INTO latest (\(RowStatement.names(columns))) SELECT \(RowStatement.values(columns)) FROM new
                    WHERE true ON CONFLICT (vehicle, kind) DO UPDATE
                    SET epoch = excluded.epoch, seq = excluded.seq, time = excluded.time
                    WHERE \(connection.dialect.isNewer("excluded", than: "latest"))
                    """))
    }

    /// Stores the numbers of records, each if it is the newest of its vehicle and kind.
    func update(_ entries: [Entry]) throws(DatabaseFailure) {
        try update.run(
            entries.map { entry in
                [
                    .integer(entry.vehicle), .text(entry.kind.rawValue), .integer(entry.number.epoch),
                    .integer(entry.number.seq), .optional(entry.time),
                ]
            })
    }
}
