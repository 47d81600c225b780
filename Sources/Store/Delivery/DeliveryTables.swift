import OdographSQLite
import OdographWire

/// The tables of delivery with receipts: the own epochs before the present one, and the revisions of receipts. They
/// change rarely, so each call prepares its statement.
struct DeliveryTables {
    /// The largest number of own epochs that are kept.
    private static let maximumEpochs = 1024

    /// Returns the last numbers of the own epochs before the present one.
    static func epochs(_ connection: borrowing SQLiteConnection) throws(StoreError) -> [Int64: Int64] {
        var found: [Int64: Int64] = [:]
        try connection.prepare("SELECT epoch, through, checksum FROM own_epoch").forEach { row throws(StoreError) in
            guard row.isIntact() else { throw row.damageError("epoch \(row.integer(0))") }
            found[row.integer(0)] = row.integer(1)
            return true
        }
        return found
    }

    /// Notes the last number of an own epoch. A greater known number stays.
    static func noteEpoch(
        _ epoch: Int64, through last: Int64, in connection: borrowing SQLiteConnection
    ) throws(StoreError) {
        guard last > 0 else { return }
        let known = try connection.prepare("SELECT through FROM own_epoch WHERE epoch = ?1").firstInteger(
            .integer(epoch))
        try connection.prepare("INSERT OR REPLACE INTO own_epoch (epoch, through, checksum) VALUES (?1, ?2, ?3)")
            .runWithChecksum(.integer(epoch), .integer(max(last, known ?? 0)))
        try connection.prepare(
            "DELETE FROM own_epoch WHERE epoch NOT IN (SELECT epoch FROM own_epoch ORDER BY epoch DESC LIMIT ?1)"
        ).run(.integer(Int64(maximumEpochs)))
    }

    /// Forgets the own epochs of which no record is kept.
    static func forgetEmptyEpochs(in connection: borrowing SQLiteConnection) throws(StoreError) {
        try connection.prepare("DELETE FROM own_epoch WHERE epoch NOT IN (SELECT epoch FROM salvaged)").run()
    }

    /// Returns the revisions of the receipts by which rows were last deleted, by the name of the recorder.
    static func revisions(_ connection: borrowing SQLiteConnection) throws(StoreError) -> [String: Int64] {
        var found: [String: Int64] = [:]
        try connection.prepare("SELECT recorder, revision, checksum FROM receipt").forEach { row throws(StoreError) in
            guard row.isIntact() else { throw row.damageError("the revision of a receipt") }
            if let recorder = row.text(0) { found[recorder] = row.integer(1) }
            return true
        }
        return found
    }

    /// Saves the revision of a receipt by which rows are deleted.
    static func saveRevision(
        _ revision: Int64, of recorder: String, in connection: borrowing SQLiteConnection
    ) throws(StoreError) {
        try connection.prepare("INSERT OR REPLACE INTO receipt (recorder, revision, checksum) VALUES (?1, ?2, ?3)")
            .runWithChecksum(.text(recorder), .integer(revision))
    }

    /// Returns the payloads of the given-up records that are kept.
    static func givenUpPayloads(_ connection: borrowing SQLiteConnection) throws(StoreError) -> [RecordKey: [UInt8]] {
        var payloads: [RecordKey: [UInt8]] = [:]
        for table in ["outbox", "salvaged"] {
            try connection.prepare(
                """
                SELECT epoch, seq, kind, timestamp, payload, checksum FROM \(table)
                WHERE kind = \(RecordKind.givenUp.rawValue) AND payload IS NOT NULL
                """
            ).forEach { row throws(StoreError) in
                let record = try row.record()
                payloads[record.key] = record.payload
                return true
            }
        }
        return payloads
    }

    /// Copies the readable rows of another database.
    static func copy(
        from other: borrowing SQLiteConnection, into connection: borrowing SQLiteConnection
    ) throws(StoreError) {
        for (epoch, last) in (try? epochs(other)) ?? [:] { try noteEpoch(epoch, through: last, in: connection) }
        let known = try revisions(connection)
        for (recorder, revision) in (try? revisions(other)) ?? [:] where revision > known[recorder] ?? -1 {
            try saveRevision(revision, of: recorder, in: connection)
        }
    }
}
