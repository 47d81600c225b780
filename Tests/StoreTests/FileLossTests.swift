import OdographCivilTime
import Glibc
import OdographHarness
import OdographWire
import Testing

@testable import OdographStore

@Suite("A database whose file is deleted or replaced while it is open")
struct FileLossTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makeStore() async throws -> (AgentStore, [StoredRecord]) {
        let store = try await open(folder.database)
        let stored = try await store.fill(50)
        try await store.commit(journal: [], snapshot: [1, 2], now: start)
        try await store.commit(journal: [3], now: start)
        try await store.saveDocument("configuration", [4])
        try await store.acknowledge([stored[0].key])
        return (store, stored)
    }

    private func expectComplete(_ store: AgentStore, _ stored: [StoredRecord]) async throws {
        #expect(try await store.all() == Array(stored.dropFirst()))
        let restored = try await store.contents()
        #expect(restored.snapshot == [1, 2] && restored.journals == [[3]])
        #expect(try await store.document("configuration") == [4])
    }

    @Test(
        "The store writes a complete new database with the same epoch and numbers",
        arguments: [
            "deleted", "database deleted", "log deleted", "numbers deleted", "replaced", "log replaced",
            "numbers replaced", "folder replaced",
        ])
    func lost(what: String) async throws {
        let (store, stored) = try await makeStore()
        let (log, numbers) = (folder.database + "-wal", folder.database + "-numbers")
        switch what {
        case "deleted":
            unlink(folder.database)
            unlink(log)
        case "database deleted": unlink(folder.database)
        case "log deleted": unlink(log)
        case "numbers deleted": unlink(numbers)
        case "replaced":
            unlink(folder.database)
            folder.put(Array("mine".utf8), at: folder.database)
        case "log replaced":
            unlink(log)
            folder.put(Array("mine".utf8), at: log)
        case "numbers replaced":
            unlink(numbers)
            folder.put(Array("mine".utf8), at: numbers)
        default:
            unlink(folder.database)
            mkdir(folder.database, 0o700)
        }
        let loss = try #require(await store.verifyFile(now: second(1)))
        #expect(loss.failure == nil && loss.cause.contains(folder.database))
        #expect(await store.verifyFile(now: second(2)) == nil)
        try await expectComplete(store, stored)
        let asides = folder.names.filter { $0.contains(".aside-") }
        if what.hasSuffix("replaced") {
            let aside = try #require(asides.first.map { folder.file($0) })
            #expect(asides.count == 1)
            if what == "replaced" { #expect(loss.asidePath == aside) }
            if what != "folder replaced" { #expect(folder.bytes(at: aside) == Array("mine".utf8)) }
        } else {
            #expect(asides == [] && loss.asidePath == nil)
        }
        // Numbers continue, and the disk has every record, also after a kill.
        let next = try await store.fill(1)
        #expect(next[0].epoch == stored[0].epoch && next[0].seq == 51)
        let other = try TemporaryFolder()
        for name in ["", "-wal", "-numbers"] {
            other.put(folder.bytes(at: folder.database + name), at: other.database + name)
        }
        let copy = try await open(other.database)
        #expect(copy.report.damage == nil)
        #expect(try await copy.all() == Array(stored.dropFirst()) + next)
    }

    @Test("A reservation file whose save is half done is not a lost file")
    func halfSaved() throws {
        let options = StoreOptions()
        let record = SequenceReservation.initial(EpochIdentity(epoch: 7, seed: .random()))
        var file = SequenceReservationFile(besideDatabase: folder.database, on: options.files)
        try options.files.makePrivateFile(file.path)
        try file.save(record)
        let numbers = SequenceAllocator(file: file, reservation: record, newestSeq: 0)
        #expect(numbers.fileLoss == nil)
        var next = record
        next.reservedThrough = 256
        // The first copy is newer, the second is the previous one.
        try options.files.overwrite(file.path, at: 0, with: next.bytes(writes: 2))
        #expect(numbers.fileLoss == nil)
        next.epochIdentity = EpochIdentity(epoch: 6, seed: .random())
        try options.files.overwrite(file.path, at: 0, with: next.bytes(writes: 2))
        #expect(numbers.fileLoss == OpenFileIdentities.Loss(file: .sequenceReservation, isDeleted: false))
    }

    @Test("A failed rewrite is reported and tried again, and loses nothing")
    func notWritable() async throws {
        let (store, stored) = try await makeStore()
        let away = try TemporaryFolder()
        rename(folder.path, away.file("away"))
        folder.put([], at: folder.path)
        #expect(await store.verifyFile(now: second(1))?.failure != nil)
        #expect(await store.verifyFile(now: second(2))?.failure != nil)
        let more = try await store.fill(2)
        unlink(folder.path)
        #expect(await store.verifyFile(now: second(3))?.failure == nil)
        #expect(try await store.all() == Array(stored.dropFirst()) + more)
        #expect(folder.names == ["agent.db", "agent.db-numbers", "agent.db-wal"])
    }

    @Test("Closing leaves a complete database")
    func closed() async throws {
        let (store, stored) = try await makeStore()
        for name in folder.names { unlink(folder.file(name)) }
        try await store.close()
        let anew = try await open(folder.database)
        try await expectComplete(anew, stored)
        #expect(anew.epochIdentity.epoch == stored[0].epoch)
    }

    @Test("An untouched file is not rewritten")
    func untouched() async throws {
        let (store, _) = try await makeStore()
        #expect(await store.verifyFile(now: second(1)) == nil)
        try await store.close()
        #expect(await store.verifyFile(now: second(1)) == nil)
        let memory = try await AgentStore.openInMemory(now: start).store
        #expect(await memory.verifyFile(now: second(1)) == nil)
        #expect(await !memory.hasFile)
    }
}
