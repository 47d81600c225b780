import OdographCivilTime
import OdographSQLite
import OdographWire

/// The statements on the tables that change rarely: identity, ledger and document.
struct MetadataTables: ~Copyable {
    private let insertIdentity: SQLiteStatement
    private let readIdentity: SQLiteStatement
    private let clearLedger: SQLiteStatement
    private let insertLedger: SQLiteStatement
    private let readLedger: SQLiteStatement
    private let saveDocument: SQLiteStatement
    private let readDocument: SQLiteStatement
    private let readDocuments: SQLiteStatement
    private let deleteDocument: SQLiteStatement

    /// Returns the epoch of this database. Nil if none has begun.
    borrowing func epochIdentity() throws(StoreError) -> EpochIdentity? {
        try readIdentity.first { row throws(StoreError) -> EpochIdentity? in
            guard let seed = EpochIdentity.Seed(bytes: row.bytes(1) ?? []) else { return nil }
            return EpochIdentity(epoch: row.integer(0), seed: seed)
        }
    }

    /// Saves the epoch of the records stored from now on.
    borrowing func saveEpochIdentity(_ identities: EpochIdentity, at now: Timestamp) throws(StoreError) {
        try insertIdentity.run(
            .integer(identities.epoch), .blob(identities.seed.bytes), .integer(now.millisecondsSinceEpoch))
    }

    borrowing func ledger() throws(StoreError) -> Ledger {
        let entries = try readLedger.rows { row throws(StoreError) -> LedgerEntry? in
            guard row.isIntact() else { throw row.damageError("entry \(row.integer(0)) of the ledger") }
            return LedgerEntry(
                epoch: row.integer(1), fromSeq: row.integer(2), toSeq: row.integer(3), count: Int(row.integer(4)),
                kind: row.isNull(5) ? nil : RecordKind(rawValue: row.integer(5)),
                reason: LedgerEntry.Reason(rawValue: row.text(6) ?? "") ?? .merged,
                at: Timestamp(millisecondsSinceEpoch: row.integer(7)))
        }
        return Ledger(entries: entries)
    }

    borrowing func save(_ ledger: Ledger) throws(StoreError) {
        try clearLedger.run()
        for (position, entry) in ledger.entries.enumerated() {
            try insertLedger.runWithChecksum(
                .integer(Int64(position)), .integer(entry.epoch), .integer(entry.fromSeq), .integer(entry.toSeq),
                .integer(Int64(entry.count)), entry.kind.map { .integer($0.rawValue) } ?? .null,
                .text(entry.reason.rawValue), .integer(entry.at.millisecondsSinceEpoch))
        }
    }

    borrowing func saveDocument(_ name: String, _ bytes: [UInt8]) throws(StoreError) {
        try saveDocument.runWithChecksum(.text(name), .blob(bytes))
    }

    borrowing func document(_ name: String) throws(StoreError) -> [UInt8]? {
        try readDocument.first(.text(name)) { row throws(StoreError) -> [UInt8]? in
            guard row.isIntact() else { throw row.damageError("document \(name)") }
            return row.bytes(1)
        }
    }

    /// Returns all documents, by name.
    borrowing func documents() throws(StoreError) -> [String: [UInt8]] {
        var documents: [String: [UInt8]] = [:]
        try readDocuments.forEach { row throws(StoreError) in
            guard row.isIntact() else { throw row.damageError("document \(row.text(0) ?? "")") }
            if let name = row.text(0), let bytes = row.bytes(1) { documents[name] = bytes }
            return true
        }
        return documents
    }

    borrowing func removeDocument(_ name: String) throws(StoreError) {
        try deleteDocument.run(.text(name))
    }
}

extension MetadataTables {
    // An extension keeps the memberwise initializer, which leaves no partly initialized value with statements to free.
    init(_ connection: borrowing SQLiteConnection) throws(StoreError) {
        try self.init(
            insertIdentity: connection.prepare(
                "INSERT OR REPLACE INTO identity (id, epoch, seed, created) VALUES (0, ?1, ?2, ?3)"),
            readIdentity: connection.prepare("SELECT epoch, seed FROM identity WHERE id = 0"),
            clearLedger: connection.prepare("DELETE FROM ledger"),
            insertLedger: connection.prepare(
                """
                INSERT INTO ledger (position, epoch, from_seq, to_seq, count, kind, reason, at, checksum)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                """),
            readLedger: connection.prepare(
                """
                SELECT position, epoch, from_seq, to_seq, count, kind, reason, at, checksum
                FROM ledger ORDER BY position
                """),
            saveDocument: connection.prepare(
                "INSERT OR REPLACE INTO document (name, bytes, checksum) VALUES (?1, ?2, ?3)"),
            readDocument: connection.prepare("SELECT name, bytes, checksum FROM document WHERE name = ?1"),
            readDocuments: connection.prepare("SELECT name, bytes, checksum FROM document"),
            deleteDocument: connection.prepare("DELETE FROM document WHERE name = ?1"))
    }
}

extension EpochIdentity.Seed {
    /// The 16 bytes, big endian.
    var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }

    init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(
            high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
    }
}
