import OdographHarness
import COdographSQLite
import OdographCivilTime
import Glibc
import OdographSQLite
import OdographWire
import Testing

@testable import OdographStore

@Suite("Opening any files")
struct OpeningTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Makes a closed database with 200 records, a state and a document.
    private func makeDatabase(_ path: String? = nil, now: Timestamp = start) async throws -> [StoredRecord] {
        let store = try await open(path ?? folder.database, now: now)
        let stored = try await store.fill(200)
        try await store.commit(journal: [], snapshot: [1, 2], now: start)
        try await store.commit(journal: [3], now: start)
        try await store.saveDocument("configuration", [4])
        return stored
    }

    @Test("A maximum size below its range is raised to the minimum, one within its range is kept")
    func options() {
        #expect(StoreOptions(maximumBytes: 1).maximumBytes == 262_144)
        let given = StoreOptions(maximumBytes: 1 << 20)
        #expect(given.maximumBytes == 1 << 20 && given.timelineMaximumBytes == 262_144)
    }

    @Test("The group can read the folder, only the owner can read the files")
    func permissions() async throws {
        let path = folder.path + "/a/b/agent.db"
        let store = try await open(path)
        #expect(store.report == OpeningReport(epoch: store.epochIdentity.epoch, isNew: true))
        for (name, mode) in [
            ("/a", 0o750), ("/a/b", 0o750), ("/a/b/agent.db", 0o600), ("/a/b/agent.db-wal", 0o600),
            ("/a/b/agent.db-numbers", 0o600),
        ] {
            var information = stat()
            #expect(stat(folder.path + name, &information) == 0)
            #expect(information.st_mode & 0o777 == mode_t(mode), "\(name)")
        }
    }

    @Test("A folder that cannot be created is a clear error without side effects")
    func impossible() async throws {
        folder.put([], at: folder.path + "/file")
        await #expect(throws: StoreError.self) { try await open(folder.path + "/file/agent.db") }
        do {
            _ = try await open(folder.path + "/file/below/agent.db")
        } catch let error as StoreError {
            #expect(error.description.contains("file/below"))
        }
    }

    @Test(
        "A file that is not a database is set aside unchanged, and a new epoch begins",
        arguments: ["text", "zeros", "short", "folder", "foreign", "dangling"])
    func noDatabase(what: String) async throws {
        let content: [UInt8]
        switch what {
        case "text":
            content = Array("this is not a database, it is a sentence. ".utf8) + [UInt8](repeating: 65, count: 4096)
        case "zeros": content = [UInt8](repeating: 0, count: 10_000)
        case "short": content = [1, 2, 3]
        default: content = []
        }
        switch what {
        case "folder": mkdir(folder.database, 0o700)
        case "dangling": symlink(folder.path + "/nowhere/else", folder.database)
        case "foreign":
            let connection = try SQLiteConnection(path: folder.database)
            try connection.execute("CREATE TABLE cookies (name TEXT)")
        default: folder.put(content, at: folder.database)
        }
        let store = try await open(folder.database)
        let damage = try #require(store.report.damage)
        #expect(store.report.isNew && damage.salvagedCount == 0)
        #expect(damage.asidePath == folder.database + ".aside-20260921T141320Z")
        var information = stat()
        #expect(lstat(damage.asidePath, &information) == 0)
        if !content.isEmpty { #expect(folder.bytes(at: damage.asidePath) == content) }
        try await store.fill(3)
    }

    @Test("An empty file becomes a database")
    func emptyFile() async throws {
        folder.put([], at: folder.database)
        let store = try await open(folder.database)
        #expect(store.report.damage == nil && store.report.isNew)
        try await store.fill(3)
    }

    @Test(
        "A database of another version is put aside with its content, and its readable records are salvaged",
        arguments: [-1, 1, StoreSchema.version - 1, StoreSchema.version + 1])
    func otherSchema(version: Int) async throws {
        let stored = try await makeDatabase()
        do {
            let connection = try SQLiteConnection(path: folder.database)
            try connection.execute("PRAGMA user_version = \(version); ALTER TABLE outbox ADD COLUMN other")
        }
        let store = try await open(folder.database, now: second(1))
        let damage = try #require(store.report.damage)
        #expect(damage.reason.contains("schema \(version), this version reads \(StoreSchema.version)"))
        #expect(damage.salvagedCount == 200 && damage.oldEpoch == stored[0].epoch && damage.isStateSalvaged)
        #expect(try await store.all() == stored)
        let restored = try await store.contents()
        #expect(restored.snapshot == [1, 2] && restored.journals == [[3]])
        #expect(try await store.document("configuration") == [4])
        let aside = try SQLiteConnection(path: damage.asidePath)
        #expect(try aside.firstInteger("SELECT count(*) FROM outbox") == 200)
    }

    @Test("Of a database of another version, a record in another format is not salvaged, nor a table in another form")
    func otherFormat() async throws {
        let stored = try await makeDatabase()
        do {
            let connection = try SQLiteConnection(path: folder.database)
            // The row is intact: its checksum is that of the other format.
            let other: [SQLiteValue] = [
                .integer(stored[0].epoch), .integer(7), .integer(0), .integer(0), .blob(Array("{}".utf8)),
            ]
            try connection.prepare(
                "UPDATE outbox SET epoch = ?1, kind = ?3, timestamp = ?4, payload = ?5, checksum = ?6 WHERE seq = ?2"
            ).runWithChecksum(other[0], other[1], other[2], other[3], other[4])
            try connection.execute(
                "PRAGMA user_version = \(StoreSchema.version + 1); ALTER TABLE document RENAME COLUMN bytes TO content")
        }
        let store = try await open(folder.database, now: second(1))
        #expect(store.report.damage?.salvagedCount == 199)
        #expect(try await store.all() == stored.filter { $0.seq != 7 })
        #expect(try await store.document("configuration") == nil)
        try await store.fill(3)
    }

    @Test("Salvaged records come first and unchanged, new ones count from 1, and all can be acknowledged")
    func salvagedFirst() async throws {
        let stored = try await makeDatabase()
        do {
            let connection = try SQLiteConnection(path: folder.database)
            try connection.execute("PRAGMA user_version = 99")
        }
        var store = try await open(folder.database)
        #expect(store.epochIdentity.epoch > stored[0].epoch)
        let new = try await store.fill(5)
        #expect(new.map(\.seq) == [1, 2, 3, 4, 5])
        #expect(try await store.all() == stored + new)
        #expect(try await store.unacknowledged(after: stored[197].key, limit: 4).map(\.seq) == [199, 200, 1, 2])
        #expect(await store.counters.salvagedCount == 200)
        try await store.acknowledge(stored[..<199].map(\.key) + [new[0].key])
        #expect(try await store.all().map(\.seq) == [200, 2, 3, 4, 5])
        try await store.flushAcknowledgements()
        store = try await AgentStore.openInMemory(now: start).store
        store = try await open(folder.database)
        #expect(try await store.all().map(\.seq) == [200, 2, 3, 4, 5])
        #expect(try await store.statistics().depth == 5)
    }

    @Test("A new database that was complete when the agent was killed is used")
    func interrupted() async throws {
        let stored = try await makeDatabase()
        rename(folder.database, folder.database + ".new")
        rename(folder.database + "-wal", folder.database + ".new-wal")
        let store = try await open(folder.database)
        #expect(try await store.all() == stored)
    }

    @Test("A write-ahead log of another database is ignored")
    func foreignLog() async throws {
        _ = try await makeDatabase()
        let other = folder.path + "/other.db"
        let mine = try await makeDatabase(other, now: second(10))
        // Both databases were closed, so both files are complete without their logs.
        folder.put(folder.bytes(at: folder.database + "-wal"), at: other + "-wal")
        let store = try await open(other, now: second(20))
        let kept = try await store.all()
        #expect(kept.allSatisfy { $0.epoch == mine[0].epoch })
        #expect(kept.map(\.payload) == mine.map(\.payload))
    }
}
