import OdographSQLite

@testable import OdographStore

/// A database of the last version without checksums, with content in the file and in the log.
struct OlderDatabase {
    /// The last schema version without checksums.
    private static let version = 3

    /// Content that was inserted and deleted.
    var deleted: [UInt8]
    /// The payloads of the outbox, which have the last numbers of epoch 7.
    var records: [[UInt8]]
    var snapshot: TrackerStateTables.Snapshot

    /// The number of the last record.
    static let newestSeq: Int64 = 20

    /// - Parameter vfs: The name of SQLite's file layer. Nil for the operating system's.
    func write(to path: String, vfs: String? = nil) throws {
        let connection = try SQLiteConnection(path: path, vfs: vfs)
        connection.setCheckpointOnClose(false)
        try connection.configure(StoreOptions())
        try Migrations.all.apply(to: connection, path: path, upTo: Self.version)
        var numbers: [UInt8] = []
        for number in [snapshot.ordinal, snapshot.seq, Int64(snapshot.bytes.count)] {
            withUnsafeBytes(of: number.littleEndian) { numbers += $0 }
        }
        var journal = CommitJournal()
        journal.append(CommitJournal.Entry(ordinal: 1, bytes: deleted))
        try connection.execute("INSERT INTO identity VALUES (0, 7, zeroblob(16), 0)")
        let insert = try connection.prepare("INSERT INTO outbox VALUES (?1, 7, 0, 0, ?2, NULL)")
        let first = Self.newestSeq - Int64(records.count) + 1
        for seq in 1...Self.newestSeq {
            try insert.run(.integer(seq), .blob(seq < first ? deleted : records[Int(seq - first)]))
        }
        try connection.execute("DELETE FROM outbox WHERE seq < \(first)")
        try connection.prepare("INSERT INTO journal VALUES (0, ?1)").run(.blob(journal.encoded))
        let part = try connection.prepare("INSERT INTO snapshot VALUES (?1, ?2)")
        try part.run(.integer(0), .blob(numbers + snapshot.bytes))
        try part.run(.integer(1), .blob(deleted))
    }
}
