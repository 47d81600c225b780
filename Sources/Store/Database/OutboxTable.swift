import OdographCivilTime
import OdographSQLite
import OdographWire

/// The statements on `outbox`.
struct OutboxTable: ~Copyable {
    private let insertRow: SQLiteStatement
    private let deleteRows: SQLiteStatement
    private let clearPayload: SQLiteStatement
    private let readRows: SQLiteStatement
    private let readInputs: SQLiteStatement
    private let readKinds: SQLiteStatement
    private let readOlderThan: SQLiteStatement
    private let readLocations: SQLiteStatement
    private let readNewest: SQLiteStatement
    private let readOldest: SQLiteStatement
    private let readCount: SQLiteStatement
    private let readTimestamps: SQLiteStatement
    private let readIsTombstone: SQLiteStatement
    private let readEpochs: SQLiteStatement

    /// Returns whether the row with a number exists and has no payload.
    borrowing func isTombstone(_ seq: Int64) throws(StoreError) -> Bool {
        try readIsTombstone.firstInteger(.integer(seq)) == 1
    }

    /// Returns the epochs of the oldest row and of the row with a number.
    borrowing func epochs(of seq: Int64) throws(StoreError) -> [Int64] {
        try readEpochs.rows(.integer(seq)) { row in row.integer(0) }
    }

    /// Returns the newest row's number; 0 if there is none.
    borrowing func newestSeq() throws(StoreError) -> Int64 { try readNewest.firstInteger() ?? 0 }

    /// Returns the oldest row's number, even of a tombstone. Nil if there is none.
    borrowing func oldestSeq() throws(StoreError) -> Int64? { try readOldest.firstInteger() }

    /// Returns the number of records. Reads all rows.
    borrowing func count() throws(StoreError) -> Int { Int(try readCount.firstInteger() ?? 0) }

    /// Passes the numbers and instants of the records from a number on to `body`, oldest first, until it returns false.
    borrowing func forEachTimestamp(
        from seq: Int64, do body: (Int64, Timestamp) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try readTimestamps.forEach(.integer(seq)) { row throws(StoreError) in
            try body(row.integer(0), Timestamp(millisecondsSinceEpoch: row.integer(1)))
        }
    }

    /// - Parameter payload: The record's payload in the format of a row (see ``PayloadCompression``).
    borrowing func insert(_ record: StoredRecord, payload: [UInt8], inputs: [UInt8]) throws(StoreError) {
        let content: [SQLiteValue] = [
            .integer(record.epoch), .integer(record.seq), .integer(record.kind.rawValue),
            .integer(record.timestamp.millisecondsSinceEpoch), .blob(payload),
        ]
        // The inputs have a separate checksum, because they outlast the payload.
        let journal: [SQLiteValue] = [.integer(record.seq), .blob(inputs)]
        let rest: [SQLiteValue] =
            inputs.isEmpty ? [.null, .null] : [.blob(inputs), .blob(Checksum(of: journal).storedBytes)]
        try insertRow.run(content + [.blob(Checksum(of: content).storedBytes)] + rest)
    }

    /// Deletes the rows of a range and returns their number.
    borrowing func delete(_ range: ClosedRange<Int64>) throws(StoreError) -> Int {
        try deleteRows.run(.integer(range.lowerBound), .integer(range.upperBound))
    }

    /// Deletes a row's payload and keeps the row. Returns whether it had a payload.
    borrowing func makeTombstone(_ seq: Int64) throws(StoreError) -> Bool { try clearPayload.run(.integer(seq)) > 0 }

    /// Passes the records after a number to `body`, oldest first, until it returns false.
    /// - Parameter withLocations: Whether location records are among them.
    borrowing func forEach(
        after seq: Int64, withLocations: Bool = true, do body: (StoredRecord) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try readRows.forEach(.integer(seq), .integer(withLocations ? 0 : 1)) { row throws(StoreError) in
            try body(row.record())
        }
    }

    /// Returns the journal entries in the rows of a range.
    borrowing func inputs(in range: ClosedRange<Int64>) throws(StoreError) -> [[UInt8]] {
        try readInputs.rows(
            .integer(range.lowerBound), .integer(range.upperBound)
        ) { row throws(StoreError) -> [UInt8]? in
            guard row.isIntact() else { throw row.damageError("the journal beside record \(row.integer(0))") }
            return row.bytes(1) ?? []
        }
    }

    /// Returns the numbers and kinds of the oldest locations, or other records, between two numbers (both exclusive).
    borrowing func oldest(
        locations: Bool, after: Int64, before: Int64, limit: Int
    ) throws(StoreError) -> [(seq: Int64, kind: RecordKind)] {
        try readKinds.rows(
            .integer(after), .integer(before), .integer(locations ? 1 : 0), .integer(Int64(limit))
        ) { row in Self.seqAndKind(row) }
    }

    /// Returns the numbers and kinds of the records from before an instant.
    borrowing func older(
        than instant: Timestamp, before: Int64, limit: Int
    ) throws(StoreError) -> [(seq: Int64, kind: RecordKind)] {
        try readOlderThan.rows(
            .integer(before), .integer(instant.millisecondsSinceEpoch), .integer(Int64(limit))
        ) { row in Self.seqAndKind(row) }
    }

    private static func seqAndKind(_ row: borrowing SQLiteStatement) -> (seq: Int64, kind: RecordKind) {
        (row.integer(0), RecordKind(rawValue: row.integer(1)) ?? .location)
    }

    /// Returns the payloads of the newest locations of a time range, newest first.
    borrowing func locations(from: Timestamp, to: Timestamp, limit: Int) throws(StoreError) -> [[UInt8]] {
        try readLocations.payloads(from: from, to: to, limit: limit)
    }
}

extension OutboxTable {
    // An extension keeps the memberwise initializer, which leaves no partly initialized value with statements to free.
    init(_ connection: borrowing SQLiteConnection) throws(StoreError) {
        try self.init(
            insertRow: connection.prepare(
                """
                INSERT INTO outbox (epoch, seq, kind, timestamp, payload, checksum, inputs, inputs_checksum)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                """),
            deleteRows: connection.prepare("DELETE FROM outbox WHERE seq BETWEEN ?1 AND ?2"),
            clearPayload: connection.prepare(
                "UPDATE outbox SET payload = NULL, checksum = NULL WHERE seq = ?1 AND payload IS NOT NULL"),
            readRows: connection.prepare(
                """
                SELECT epoch, seq, kind, timestamp, payload, checksum FROM outbox
                WHERE seq > ?1 AND kind >= ?2 AND payload IS NOT NULL ORDER BY seq
                """),
            readInputs: connection.prepare(
                """
                SELECT seq, inputs, inputs_checksum FROM outbox
                WHERE seq BETWEEN ?1 AND ?2 AND inputs IS NOT NULL ORDER BY seq
                """),
            readKinds: connection.prepare(
                """
                SELECT seq, kind FROM outbox WHERE seq > ?1 AND seq < ?2 AND (kind = 0) = ?3 AND payload IS NOT NULL
                ORDER BY seq LIMIT ?4
                """),
            readOlderThan: connection.prepare(
                "SELECT seq, kind FROM outbox WHERE seq < ?1 AND timestamp < ?2 AND payload IS NOT NULL ORDER BY seq LIMIT ?3"
            ),
            readLocations: connection.prepare(
                """
                SELECT epoch, seq, kind, timestamp, payload, checksum FROM outbox
                WHERE kind = 0 AND timestamp >= ?1 AND timestamp < ?2 AND payload IS NOT NULL ORDER BY seq DESC LIMIT ?3
                """),
            readNewest: connection.prepare("SELECT max(seq) FROM outbox"),
            readOldest: connection.prepare("SELECT min(seq) FROM outbox"),
            readCount: connection.prepare("SELECT count(*) FROM outbox WHERE payload IS NOT NULL"),
            readTimestamps: connection.prepare(
                "SELECT seq, timestamp FROM outbox WHERE seq >= ?1 AND payload IS NOT NULL ORDER BY seq"),
            readIsTombstone: connection.prepare("SELECT payload IS NULL FROM outbox WHERE seq = ?1"),
            readEpochs: connection.prepare("SELECT epoch FROM outbox WHERE seq IN (?1, (SELECT min(seq) FROM outbox))"))
    }
}

extension StoredRecord {
    /// Creates a record from a row with the columns epoch, seq, kind, timestamp, payload (see ``PayloadCompression``)
    /// and checksum. Nil if the row is changed, or has an unknown kind or no payload.
    init?(row: borrowing SQLiteStatement) {
        guard row.isIntact(), let kind = RecordKind(rawValue: row.integer(2)) else { return nil }
        guard case .some(.some(let payload)) = row.withBytes(4, PayloadCompression.payload) else { return nil }
        self.init(
            epoch: row.integer(0), seq: row.integer(1), kind: kind,
            timestamp: Timestamp(millisecondsSinceEpoch: row.integer(3)), payload: payload)
    }
}
