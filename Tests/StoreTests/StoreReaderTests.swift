import OdographCivilTime
import Glibc
import OdographHarness
import OdographSQLite
import OdographWire
import Testing

@testable import OdographStore

@Suite("Reading a database without changing it")
struct StoreReaderTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns the files of a database as after a power cut: the last records are only in the log.
    private func makeFiles() async throws -> (file: [UInt8], log: [UInt8], records: [StoredRecord]) {
        let other = try TemporaryFolder()
        let store = try await open(other.database, StoreOptions().with { $0.walPreallocationBytes = 64 << 10 })
        var stored = try await store.fill(60)
        try await store.saveDocument("configuration", [4])
        try await store.acknowledge(stored[..<5].map(\.key))
        stored = try await Array(stored.dropFirst(5)) + store.fill(20, aCommit: 1)
        try await store.commit(journal: [], snapshot: [1, 2], now: start)
        try await store.commit(journal: [3], now: start)
        return (other.bytes(at: other.database), other.bytes(at: other.database + "-wal"), stored)
    }

    private func put(_ file: [UInt8], _ log: [UInt8]) {
        folder.put(file, at: folder.database)
        folder.put(log, at: folder.database + "-wal")
    }

    @Test("The reader finds the same contents as an agent, and changes no byte and no file name")
    func same() async throws {
        let (file, log, records) = try await makeFiles()
        put(file, log)
        let reader = try await StoreReader.open(at: folder.database)
        #expect(folder.names == ["agent.db", "agent.db-wal"])
        #expect(folder.bytes(at: folder.database) == file && folder.bytes(at: folder.database + "-wal") == log)
        let contents = try await reader.contents()
        #expect(contents.snapshot == [1, 2] && contents.journals == [[3]])
        #expect(contents.documents == ["configuration": [4]])
        let statistics = try await reader.statistics()
        let locations = try await reader.locations(from: start, to: second(100), limit: 1000)
        let store = try await open(folder.database)
        let opened = try await store.statistics()
        #expect(opened.depth == statistics.depth)
        #expect(statistics.depth == records.count)
        #expect(try await store.locations(from: start, to: second(100), limit: 1000) == locations)
    }

    @Test("The copy has the log, is in a folder for its owner only, and is removed at the end")
    func copy() async throws {
        let (file, log, _) = try await makeFiles()
        put(file, log)
        let place = try TemporaryFolder()
        try Self.use(try DatabaseCopy.make(of: folder.database, in: place.path)) { path in
            let name = try #require(place.names.first)
            #expect(place.names.count == 1 && path.hasPrefix(place.file(name)))
            var information = stat()
            #expect(stat(place.file(name), &information) == 0 && information.st_mode & 0o777 == 0o700)
            #expect(stat(path, &information) == 0 && information.st_mode & 0o777 == 0o600)
            #expect(folder.bytes(at: path) == file && folder.bytes(at: path + "-wal") == log)
        }
        #expect(place.names.isEmpty)
    }

    private static func use(_ copy: consuming DatabaseCopy, _ body: (String) throws -> Void) throws {
        try body(copy.path)
    }

    @Test("Without room for the copy the sentence has the bytes that it needs, and nothing is left behind")
    func noRoom() async throws {
        let (file, log, _) = try await makeFiles()
        put(file, log)
        let place = try TemporaryFolder()
        let needed = file.count + 2 * log.count
        let expected = StoreError.noRoomForCopy(path: folder.database, folder: place.path, bytes: needed)
        #expect(throws: expected) {
            let copy = try DatabaseCopy.make(of: folder.database, in: place.path, available: UInt64(needed - 1))
            try Self.use(copy) { _ in }
        }
        try Self.use(try DatabaseCopy.make(of: folder.database, in: place.path, available: UInt64(needed))) { _ in }
        #expect("\(expected)".contains(" \(needed) bytes in \(place.path);"))
        #expect(place.names.isEmpty)
    }

    @Test("The reader uses the same part of a truncated log as SQLite")
    func cutLog() async throws {
        let (file, log, _) = try await makeFiles()
        var random = SplitMix64(seed: 3)
        for number in 0..<30 {
            var cut = Array(log[..<Int.random(in: 0..<log.count, using: &random)])
            if number % 3 == 0, !cut.isEmpty { cut[Int.random(in: cut.indices, using: &random)] ^= 0x10 }
            put(file, cut)
            let read = try await StoreReader.open(at: folder.database).statistics()
            // SQLite's own recovery, on a copy.
            let other = try TemporaryFolder()
            other.put(file, at: other.database)
            other.put(cut, at: other.database + "-wal")
            let connection = try SQLiteConnection(path: other.database)
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            #expect(try connection.firstInteger("SELECT coalesce(max(seq), 0) FROM outbox") == read.newestSeq)
        }
    }

    @Test("The reader detects a store that has the file open, also in the same process, which keeps its lock")
    func inUse() async throws {
        let store = try await open(folder.database)
        try await store.fill(3)
        #expect(try StoreReader.isInUse(folder.database))
        await #expect(throws: StoreError.inUse(path: folder.database)) {
            try await StoreReader.open(at: folder.database)
        }
        await #expect(throws: StoreError.inUse(path: folder.database)) {
            try await AgentStore.open(
                at: folder.database, options: StoreOptions().with { $0.busyTimeoutMilliseconds = 0 }, now: start)
        }
        try await store.close()
        #expect(try StoreReader.isInUse(folder.database) == false)
        #expect(try await StoreReader.open(at: folder.database).statistics().depth == 3)
    }

    @Test("A damaged file and one of another version are reported and stay unchanged")
    func damaged() async throws {
        let (file, _, _) = try await makeFiles()
        var noise = file
        for index in 2048..<4096 { noise[index] = 0xA5 }
        put(noise, [])
        await #expect {
            _ = try await StoreReader.open(at: folder.database)
        } throws: { error in
            if case StoreError.damaged(let path, _) = error { path == folder.database } else { false }
        }
        #expect(folder.bytes(at: folder.database) == noise && folder.names == ["agent.db", "agent.db-wal"])
        put(Array("no database".utf8) + [UInt8](repeating: 0, count: 3000), [])
        await #expect(throws: StoreError.self) { try await StoreReader.open(at: folder.database) }
        unlink(folder.database + "-wal")
        put(file, [])
        do {
            let connection = try SQLiteConnection(path: folder.database)
            try connection.execute("PRAGMA user_version = 99")
        }
        let other = StoreError.otherSchema(path: folder.database, version: 99, known: StoreSchema.version)
        await #expect(throws: other) { try await StoreReader.open(at: folder.database) }
    }

    @Test("An empty database, and one whose agent was killed during a rewrite can be read")
    func others() async throws {
        folder.put([], at: folder.database)
        #expect(try await StoreReader.open(at: folder.database).statistics().newestSeq == 0)
        #expect(folder.bytes(at: folder.database) == [])
        unlink(folder.database)
        #expect(!StoreReader.exists(at: folder.database))
        do {
            let connection = try SQLiteConnection(path: folder.database)
            try StoreSchema.create(in: connection)
        }
        let first = folder.bytes(at: folder.database)
        #expect(try await StoreReader.open(at: folder.database).statistics().newestSeq == 0)
        #expect(folder.bytes(at: folder.database) == first)
        rename(folder.database, folder.database + ".new")
        #expect(StoreReader.exists(at: folder.database))
        #expect(try await StoreReader.open(at: folder.database).statistics().newestSeq == 0)
        #expect(folder.names == ["agent.db.new"])
    }
}
