import OdographStore
import OdographWire

/// The tables `records`, `latest` and `conflicts`.
final class RecordTable {
    private let insertion: any RecorderStatement
    private let comparison: any RecorderStatement
    private let conflict: any RecorderStatement
    private let conflictCount: any RecorderStatement
    private let conflictDeletion: any RecorderStatement
    private let latest: any RecorderStatement
    /// The number of conflicts that are kept.
    static let maximumConflicts = 10_000

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        // A number in a run was stored before. If its record is gone, it was erased, and must not come back.
        insertion = try connection.prepare(
            """
            INSERT INTO records (vehicle, epoch, seq, kind, received, payload, time, clock_untrusted, mock, event,
                subject, latitude, longitude, accuracy, altitude, speed, heading, is_moving, odometer, driver)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
                ?20
            WHERE coalesce((SELECT last FROM runs WHERE vehicle = ?1 AND epoch = ?2 AND first <= ?3
                            ORDER BY first DESC LIMIT 1), 0) < ?3
            ON CONFLICT DO NOTHING
            """)
        // An agent stores a record as bytes, and publishes these bytes on each topic and each time. So other bytes are
        // another record, and a comparison of the values would only hide it.
        comparison = try connection.prepare(
            "SELECT payload = ?4 FROM records WHERE vehicle = ?1 AND epoch = ?2 AND seq = ?3")
        conflict = try connection.prepare(
            """
            INSERT INTO conflicts (vehicle, epoch, seq, received, payload) VALUES (?1, ?2, ?3, ?5, ?4)
            ON CONFLICT DO NOTHING
            """)
        conflictCount = try connection.prepare("UPDATE vehicles SET conflicts = conflicts + 1 WHERE id = ?1")
        conflictDeletion = try connection.prepare(
            """
            DELETE FROM conflicts WHERE id <= (
                SELECT id FROM conflicts ORDER BY id DESC LIMIT 1 OFFSET \(Self.maximumConflicts))
            """)
        latest = try connection.prepare(
            """
            INSERT INTO latest (vehicle, kind, epoch, seq, time) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (vehicle, kind) DO UPDATE
            SET epoch = excluded.epoch, seq = excluded.seq, time = excluded.time
            WHERE (excluded.epoch, excluded.seq) > (latest.epoch, latest.seq)
            """)
    }

    /// Stores records, unless one with the number is stored. A record with a known number and other contents is a
    /// conflict.
    /// - Returns: The new records.
    func insert(_ records: [NumberedMessage]) throws(DatabaseFailure) -> [NumberedMessage] {
        // The number of each can be in the batch twice. So the first ones are inserted together, then the others.
        var numbers: Set<NumberedMessage.Identity> = []
        var (first, repeated): ([NumberedMessage], [NumberedMessage]) = ([], [])
        for record in records {
            if numbers.insert(record.identity).inserted { first.append(record) } else { repeated.append(record) }
        }
        let changes = try insertion.runAll(first.map(\.columns))
        var inserted: [NumberedMessage] = []
        for (record, count) in zip(first, changes) {
            if count == 1 { inserted.append(record) } else { repeated.append(record) }
        }
        for record in repeated { try compare(record) }
        return inserted
    }

    private func compare(_ record: NumberedMessage) throws(DatabaseFailure) {
        let payload = SQLValue.text(record.message.payload)
        let key = record.identity.values
        guard try comparison.firstInteger(key[0], key[1], key[2], payload) == 0 else { return }
        guard try conflict.run(key + [payload, .time(record.received)]) == 1 else { return }
        try conflictCount.run(key[0])
        try conflictDeletion.run()
    }

    /// Stores the number of a new record, if it is the greatest of its kind.
    func updateLatest(_ record: NumberedMessage) throws(DatabaseFailure) {
        let (kind, time) = (record.message.channel.rawValue, record.message.recordTime)
        let key = record.identity.values
        try latest.run([key[0], .text(kind), key[1], key[2], .optional(time)])
    }
}
