import OdographHarness
import COdographSQLite
import OdographCivilTime
import Glibc
import OdographSQLite
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
        try await store.commit([], journal: [], snapshot: [1, 2], now: start)
        try await store.commit([], journal: [3], now: start)
        try await store.saveDocument("configuration", [4])
        return stored
    }

    @Test("An option below its range is raised to the minimum, one within its range is kept")
    func options() {
        let least = StoreOptions(
            maximumBytes: 1, walPreallocationBytes: 1, acknowledgementBatch: 0, fullCheckMaximumBytes: -1,
            cacheBytes: 1,
            busyTimeoutMilliseconds: -1, timelineMaximumCount: 1, timelineMaximumBytes: 1)
        #expect(
            least.maximumBytes == 262_144 && least.walPreallocationBytes == 65_536 && least.acknowledgementBatch == 1)
        #expect(least.fullCheckMaximumBytes == 0 && least.cacheBytes == 65_536 && least.busyTimeoutMilliseconds == 0)
        #expect(least.timelineMaximumCount == 16 && least.timelineMaximumBytes == 4096)
        let given = StoreOptions(
            maximumBytes: 1 << 20, walPreallocationBytes: 70_000, acknowledgementBatch: 2, fullCheckMaximumBytes: 3,
            cacheBytes: 70_001,
            busyTimeoutMilliseconds: 4, timelineMaximumCount: 17)
        #expect(
            given.maximumBytes == 1 << 20 && given.walPreallocationBytes == 70_000 && given.acknowledgementBatch == 2)
        #expect(given.fullCheckMaximumBytes == 3 && given.cacheBytes == 70_001 && given.busyTimeoutMilliseconds == 4)
        #expect(given.timelineMaximumCount == 17 && given.timelineMaximumBytes == 262_144)
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

    @Test("A database of a newer agent is set aside and salvaged")
    func newerSchema() async throws {
        let stored = try await makeDatabase()
        do {
            let connection = try SQLiteConnection(path: folder.database)
            try connection.execute("PRAGMA user_version = 99; ALTER TABLE outbox ADD COLUMN later")
        }
        let store = try await open(folder.database, now: second(1))
        let damage = try #require(store.report.damage)
        #expect(damage.reason.contains("schema 99"))
        #expect(damage.salvagedCount == 200 && damage.oldEpoch == stored[0].epoch && damage.isStateSalvaged)
        #expect(try await store.all() == stored)
        let restored = try await store.contents()
        #expect(restored.snapshot == [1, 2] && restored.journals == [[3]])
        #expect(try await store.document("configuration") == [4])
        let aside = try SQLiteConnection(path: damage.asidePath)
        #expect(try aside.firstInteger("SELECT count(*) FROM outbox") == 200)
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

    @Test("A database of an earlier version is migrated in one transaction, or stays unchanged")
    func migrated() async throws {
        let stored = try await makeDatabase()
        let later = Migrations(steps: Migrations.all.steps + ["CREATE TABLE extra (id INTEGER PRIMARY KEY)"])
        let broken = Migrations(steps: Migrations.all.steps + ["CREATE TABLE half (id)", "CREATE TABLE outbox (id)"])
        do {
            let connection = try SQLiteConnection(path: folder.database)
            #expect(throws: StoreError.self) { try broken.apply(to: connection, path: "x") }
            #expect(try connection.firstInteger("PRAGMA user_version") == Int64(Migrations.all.newestVersion))
            #expect(try connection.firstInteger("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0)
        }
        let opening = DatabaseOpener(path: folder.database, options: StoreOptions(), migrations: later, now: start)
        let store = try await AgentStore.makeStore(opening, isInMemory: false)
        #expect(!store.report.isNew)
        #expect(try await store.all() == stored)
        try await store.close()
        let connection = try SQLiteConnection(path: folder.database)
        #expect(try connection.firstInteger("PRAGMA user_version") == Int64(later.newestVersion))
    }

    @Test("After the upgrade no file contains what an earlier agent has deleted")
    func erased() async throws {
        let hidden = Array("latitude 48.1371079".utf8)
        let snapshot = TrackerStateTables.Snapshot(ordinal: 2, seq: 0, bytes: Array("state".utf8))
        try OlderDatabase(deleted: hidden, records: [Array("{}".utf8)], snapshot: snapshot).write(to: folder.database)
        let files = [folder.database, folder.database + "-wal"]
        #expect(files.contains { folder.bytes(at: $0).contains(hidden) })
        let store = try await open(folder.database)
        #expect(try await store.contents().snapshot == snapshot.bytes)
        #expect(try await store.all().map(\.payload) == [Array("{}".utf8)])
        for path in files { #expect(!folder.bytes(at: path).contains(hidden), "\(path)") }
    }

    @Test("As long as deleted data cannot be erased, no payload is compressed; the next start erases and compresses")
    func erasureFails() async throws {
        let written = try SimulatedDisk()
        try written.makeFolder("/data")
        let older = OlderDatabase(
            deleted: Array("latitude 48.1371079".utf8), records: [Array("{}".utf8)],
            snapshot: TrackerStateTables.Snapshot(ordinal: 2, seq: 0, bytes: Array("state".utf8)))
        try older.write(to: SimulatedAgent.path, vfs: written.files.vfs)
        let healthy = try written.afterKill()
        healthy.fail(SimulatedDisk.Fault(operations: .write, after: .max))
        let newest = Int64(Migrations.all.newestVersion)
        #expect(try await commitText(on: healthy) == CommittedText(version: newest, compressed: 1, records: 2))
        var versions: Set<Int64> = []
        for moment in 0..<healthy.countedOperations {
            let disk = try written.afterKill()
            disk.fail(SimulatedDisk.Fault(operations: .write, after: moment, count: 1, error: ENOSPC))
            guard let first = try? await commitText(on: disk) else { continue }
            versions.insert(first.version)
            #expect(first.compressed == (first.version == newest ? 1 : 0), "write \(moment) failed")
            disk.fail(nil)
            let second = CommittedText(version: newest, compressed: first.compressed + 1, records: 3)
            #expect(try await commitText(on: disk) == second, "write \(moment) failed")
            #expect(!(try disk.read(SimulatedAgent.path)).contains(older.deleted), "write \(moment) failed")
        }
        #expect(versions == [4, newest])
    }

    /// The state of a database after the commit of a record that can be compressed.
    private struct CommittedText: Equatable {
        var version: Int64
        var compressed: Int64
        var records: Int
    }

    private func commitText(on disk: SimulatedDisk) async throws -> CommittedText {
        var options = StoreOptions(walPreallocationBytes: 64 << 10, busyTimeoutMilliseconds: 0)
        options.files = disk.files
        let store = try await AgentStore.open(at: SimulatedAgent.path, options: options, now: start).store
        let text = Array(String(repeating: "latitude ", count: 40).utf8)
        try await store.commit(
            [PendingRecord(kind: .location, timestamp: start) { _ in text }], journal: [], now: start)
        let records = try await store.all()
        #expect(records.last?.payload == text)
        return CommittedText(
            version: try await store.integer("PRAGMA user_version"),
            compressed: try await store.integer("SELECT count(*) FROM outbox WHERE substr(payload, 1, 1) = x'FF'"),
            records: records.count)
    }
}

extension AgentStore {
    fileprivate func integer(_ query: String) throws(StoreError) -> Int64 {
        try database.connection.firstInteger(query) ?? 0
    }
}
