import OdographCivilTime
import OdographSQLite
import OdographWire

/// The statements on `salvaged`: the records from a damaged file or an earlier epoch, with their epoch and number.
struct SalvagedTable: ~Copyable {
    private let insertRow: SQLiteStatement
    private let deleteRow: SQLiteStatement
    private let readRows: SQLiteStatement
    private let readKinds: SQLiteStatement
    private let readOlderThan: SQLiteStatement
    private let readLocations: SQLiteStatement
    private let countRows: SQLiteStatement
    private let readTimestamps: SQLiteStatement

    borrowing func count() throws(StoreError) -> Int { Int(try countRows.firstInteger() ?? 0) }

    /// Passes the keys and instants of the records from a key on to `body`, oldest first, until it returns false.
    borrowing func forEachTimestamp(
        from key: RecordKey, do body: (RecordKey, Timestamp) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try readTimestamps.forEach(.integer(key.epoch), .integer(key.seq)) { row throws(StoreError) in
            try body(
                RecordKey(epoch: row.integer(0), seq: row.integer(1)), Timestamp(millisecondsSinceEpoch: row.integer(2))
            )
        }
    }

    /// Inserts a record. Returns whether it was new.
    ///
    /// - Parameter payload: The record's payload in the format of a row (see ``PayloadCompression``).
    borrowing func insert(_ record: StoredRecord, payload: [UInt8]) throws(StoreError) -> Bool {
        try insertRow.runWithChecksum(
            .integer(record.epoch), .integer(record.seq), .integer(record.kind.rawValue),
            .integer(record.timestamp.millisecondsSinceEpoch), .blob(payload)) > 0
    }

    /// Deletes a record. Returns whether it existed.
    borrowing func delete(_ key: RecordKey) throws(StoreError) -> Bool {
        try deleteRow.run(.integer(key.epoch), .integer(key.seq)) > 0
    }

    /// Passes the records after a key to `body`, oldest first, until it returns false.
    borrowing func forEach(
        after key: RecordKey, do body: (StoredRecord) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try readRows.forEach(.integer(key.epoch), .integer(key.seq)) { row throws(StoreError) in
            try body(row.record())
        }
    }

    /// Returns the keys and kinds of the oldest locations, or of the oldest other records.
    borrowing func oldest(locations: Bool, limit: Int) throws(StoreError) -> [(key: RecordKey, kind: RecordKind)] {
        try readKinds.rows(.integer(locations ? 1 : 0), .integer(Int64(limit))) { row in Self.keyAndKind(row) }
    }

    /// Returns the keys and kinds of the records from before an instant.
    borrowing func older(than instant: Timestamp, limit: Int) throws(StoreError) -> [(key: RecordKey, kind: RecordKind)]
    {
        try readOlderThan.rows(
            .integer(instant.millisecondsSinceEpoch), .integer(Int64(limit))
        ) { row in Self.keyAndKind(row) }
    }

    /// Returns the payloads of the newest locations of a time range, newest first.
    borrowing func locations(from: Timestamp, to: Timestamp, limit: Int) throws(StoreError) -> [[UInt8]] {
        try readLocations.payloads(from: from, to: to, limit: limit)
    }

    private static func keyAndKind(_ row: borrowing SQLiteStatement) -> (key: RecordKey, kind: RecordKind) {
        (RecordKey(epoch: row.integer(0), seq: row.integer(1)), RecordKind(rawValue: row.integer(2)) ?? .location)
    }
}

extension SalvagedTable {
    // An extension keeps the memberwise initializer, which leaves no partly initialized value with statements to free.
    init(_ connection: borrowing SQLiteConnection) throws(StoreError) {
        try self.init(
            insertRow: connection.prepare(
                """
                INSERT OR IGNORE INTO salvaged (epoch, seq, kind, timestamp, payload, checksum)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                """),
            deleteRow: connection.prepare("DELETE FROM salvaged WHERE epoch = ?1 AND seq = ?2"),
            readRows: connection.prepare(
                """
                SELECT epoch, seq, kind, timestamp, payload, checksum FROM salvaged
                WHERE (epoch, seq) > (?1, ?2) ORDER BY epoch, seq
                """),
            readKinds: connection.prepare(
                "SELECT epoch, seq, kind FROM salvaged WHERE (kind = 0) = ?1 ORDER BY epoch, seq LIMIT ?2"),
            readOlderThan: connection.prepare(
                "SELECT epoch, seq, kind FROM salvaged WHERE timestamp < ?1 ORDER BY epoch, seq LIMIT ?2"),
            readLocations: connection.prepare(
                """
                SELECT epoch, seq, kind, timestamp, payload, checksum FROM salvaged
                WHERE kind = 0 AND timestamp >= ?1 AND timestamp < ?2 ORDER BY epoch DESC, seq DESC LIMIT ?3
                """),
            countRows: connection.prepare("SELECT count(*) FROM salvaged"),
            readTimestamps: connection.prepare(
                "SELECT epoch, seq, timestamp FROM salvaged WHERE (epoch, seq) >= (?1, ?2) ORDER BY epoch, seq"))
    }
}
