import OdographWire

/// The tables `records`, `latest` and `conflicts`.
final class RecordTable {
    /// The epoch of imported positions. An agent's epochs begin with 1, so no number of an agent is among them.
    static let importedEpoch: Int64 = 0

    private let insertion: any RecorderRowStatement
    private let comparison: any RecorderStatement
    private let conflict: any RecorderStatement
    private let conflictCount: any RecorderStatement
    private let latest: LatestTable

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        let columns = NumberedMessage.columns
        insertion = try connection.prepare(
            RowStatement(
                columns: columns,
                sql: """
                    INSERT INTO records (\(RowStatement.names(columns))) SELECT \(RowStatement.values(columns)) FROM new
                    WHERE true ON CONFLICT DO NOTHING RETURNING vehicle, epoch, seq
                    """))
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
        latest = try LatestTable(connection)
    }

    /// Stores records, unless one with the number is stored. A record with a known number and other contents is a
    /// conflict.
    /// - Parameter known: The runs of stored numbers that the records overlap. A number in a run was stored before. If
    ///   its record is gone, it was erased, and must not come back.
    /// - Returns: The new records.
    func insert(_ records: [NumberedMessage], known: RunTable.Ranges) throws(DatabaseFailure) -> [NumberedMessage] {
        // The number of each can be in the batch twice. So the first ones are inserted together, then the others.
        var numbers: Set<NumberedMessage.Identity> = []
        var (first, repeated): ([NumberedMessage], [NumberedMessage]) = ([], [])
        for record in records {
            let isKnown = known[record.identity.key]?.contains { $0.contains(record.identity.number.seq) } ?? false
            let isNew = !isKnown && numbers.insert(record.identity).inserted
            if isNew { first.append(record) } else { repeated.append(record) }
        }
        var stored: Set<NumberedMessage.Identity> = []
        try insertion.forEach(first.map(\.values)) { row throws(DatabaseFailure) in
            let number = RecordKey(epoch: row.integer(1), seq: row.integer(2))
            stored.insert(NumberedMessage.Identity(vehicle: row.integer(0), number: number))
        }
        var inserted: [NumberedMessage] = []
        for record in first {
            if stored.contains(record.identity) { inserted.append(record) } else { repeated.append(record) }
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
    }

    /// Stores the numbers of new records, each if it is the newest of its vehicle and kind.
    func updateLatest(_ records: [NumberedMessage]) throws(DatabaseFailure) {
        try latest.update(
            records.map { record in
                LatestTable.Entry(
                    vehicle: record.identity.vehicle, kind: record.message.channel, number: record.identity.number,
                    time: record.message.recordTime)
            })
    }
}
