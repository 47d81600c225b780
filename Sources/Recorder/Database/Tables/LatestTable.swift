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

    /// Forgets the newest records of vehicle ?1.
    static let deletion = "DELETE FROM latest WHERE vehicle = ?1"

    /// Finds the newest record of kind ?2 of vehicle ?1: the greatest number of the epoch with the newest time.
    static let insertion = """
        INSERT INTO latest (vehicle, kind, epoch, seq, time)
        SELECT vehicle, kind, epoch, seq, time FROM records WHERE vehicle = ?1 AND kind = ?2
            AND epoch = (SELECT epoch FROM records WHERE vehicle = ?1 AND kind = ?2 ORDER BY time DESC, epoch DESC LIMIT 1)
        ORDER BY seq DESC LIMIT 1
        """

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
