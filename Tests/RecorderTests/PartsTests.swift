import OdographCivilTime
import OdographHarness
import OdographSQLite
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Parts of the recorder")
struct PartsTests {
    @Test("A batch is full at its number of messages, or at its size")
    func batch() {
        func entry(_ bytes: Int) -> BatchEntry {
            BatchEntry(
                .rejected(
                    topic: "t", payload: [UInt8](repeating: 0, count: bytes), bytes: bytes, reason: RejectionReason("r")
                ),
                received: Timestamp(millisecondsSinceEpoch: 0))
        }
        var batch = Batch(limits: BatchLimits(records: 3))
        for isFull in [false, false, true] {
            batch.append(entry(1))
            #expect(batch.isFull == isFull)
        }
        batch.removeAll()
        #expect(!batch.isFull && batch.entries.isEmpty && batch.bytes == 0)
        batch.append(entry(BatchLimits.maximumBytes - 1))
        #expect(!batch.isFull)
        batch.append(entry(1))
        #expect(batch.isFull)
    }

    @Test("The printed schema creates the database that the recorder creates")
    func schema() throws {
        let archive = try Archive()
        let folder = try TemporaryFolder()
        try Connection<HarnessError>(path: folder.file("printed.db")).execute(SQLiteSchema.sql)
        let printed = DatabaseFile(folder.file("printed.db"))
        for query in [
            "SELECT type, name, sql FROM sqlite_schema ORDER BY name", "PRAGMA user_version", "PRAGMA application_id",
        ] {
            #expect(try printed.rows(query) == archive.rows(query))
        }
        // It is a database that the recorder continues.
        _ = try RecordDatabase(path: printed.path)
    }

    @Test("The database of another program, of another version, and a file that is none are refused unchanged")
    func foreign() async throws {
        let folder = try TemporaryFolder()
        let other = folder.file("other.db")
        try Connection<HarnessError>(path: other).execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        #expect(throws: DatabaseFailure.foreign(path: other)) { try RecordDatabase(path: other) }
        #expect(try DatabaseFile(other).rows("SELECT name FROM sqlite_schema") == [["t"]])
        #expect(throws: DatabaseFailure.foreign(path: other)) { try RecorderStatus(of: .file(path: other)) }
        for version in [0, RecorderSchema.version - 1, RecorderSchema.version + 1] {
            let path = folder.file("\(version).db")
            try Connection<HarnessError>(path: path).execute(SQLiteSchema.sql + "PRAGMA user_version = \(version)")
            let bytes = try FileContents.bytes(path)
            let refusal = DatabaseFailure.otherVersion(path: path, version: version, known: RecorderSchema.version)
            #expect(throws: refusal) { try RecordDatabase(path: path) }
            #expect(throws: refusal) { try RecorderStatus(of: .file(path: path)) }
            #expect(try FileContents.bytes(path) == bytes)
        }
        let text = try folder.write(String(repeating: "no database ", count: 100), to: "text.db")
        #expect {
            try RecordDatabase(path: text)
        } throws: { error in
            if case .damaged = error as? DatabaseFailure { true } else { false }
        }
        let missing = folder.file("none/recorder.db")
        #expect {
            try RecordDatabase(path: missing)
        } throws: { error in
            if case .cannotOpen(missing, _) = error as? DatabaseFailure { true } else { false }
        }
    }

    @Test("The status bears numbers whose sum is larger than an integer", arguments: DatabaseKind.allCases)
    func largeNumbers(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.store(
            (1...1100).flatMap { epoch -> [Archive.Message] in
                try [1, (1 << 53) - 1].map {
                    (van + "location", try Payloads.location(epoch: epoch, $0, date: "2026-11-21T08:00:00Z"))
                }
            })
        let status = try RecorderStatus(of: archive.location)
        #expect(status.openGaps == 1100 && status.openNumbers == 1_000_000_000_000_000_000)
    }

    @Test("The status counts what the database contains")
    func status() throws {
        let archive = try Archive()
        let empty = try RecorderStatus(of: .file(path: archive.file.path))
        #expect(empty.lastCommit == nil && empty.lastBackup == nil)
        #expect(empty.vehicles == 0 && empty.records == 0 && empty.openGaps == 0)
        try archive.store([
            (van + "location", try Payloads.location(1)), (van + "location", try Payloads.location(5)),
            (van + "location", try Payloads.location(5, latitude: 1)),
            (van + "reported", try Payloads.reported([Payloads.range(2...2)])),
            (van + "status", try Payloads.status(.online, connection: 1)),
            ("fleet/acme/van-8/location", try Payloads.location(1)), (van + "location", Array("{}".utf8)),
        ])
        let status = try RecorderStatus(of: .file(path: archive.file.path))
        #expect(status.vehicles == 2 && status.online == 1 && status.records == 3)
        #expect(status.openGaps == 1 && status.openNumbers == 2 && status.conflicts == 1 && status.rejected == 1)
        #expect(status.lastCommit == Timestamp(millisecondsSinceEpoch: 1_790_000_000_000).iso8601)
        #expect(status.text.contains("open gaps    1, 2 numbers\n"))
        #expect(try status.json().contains("\"open_numbers\":2"))
    }
}
