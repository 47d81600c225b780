import OdographCivilTime
import Glibc
import OdographHarness
import OdographWire
import Testing

@testable import OdographStore

@Suite("A full disk", .enabled(if: SmallFileSystem.isPossible, "mounting a small file system needs root"))
struct DiskFullTests {
    @Test("A commit fails with a clear error and loses nothing stored, and commits continue when there is space again")
    func fullDisk() async throws {
        let disk = try SmallFileSystem()
        let path = disk.folder.database
        let (store, stored, failure) = try await fillDisk(disk)
        guard case .diskFull(path, _)? = failure else {
            Issue.record("not told that the disk is full: \(String(describing: failure))")
            return
        }
        for _ in 0..<3 {
            await #expect(throws: StoreError.self) { try await store.commit(records(300), journal: [1], now: start) }
            #expect(try await store.all() == stored)
            #expect(try await store.statistics().newestSeq == stored.last?.seq)
        }
        disk.release()
        let next = try await store.commit(records(20), journal: [2], now: start)
        #expect(next.first?.seq == Int64(stored.count) + 1)
        #expect(try await store.all() == stored + next)
        #expect(await store.ledger().isEmpty)
    }

    @Test("Opening on a full disk does not set the database aside")
    func openingOnFullDisk() async throws {
        let disk = try SmallFileSystem()
        let path = disk.folder.database
        var stored: [StoredRecord] = []
        do { stored = try await open(path, shortLog).fill(100) }
        disk.fill()
        let store = try await open(path)
        #expect(store.report.damage == nil)
        #expect(try await store.all() == stored)
        // The log has space, because it was preallocated.
        stored += try await store.commit([record()], journal: [], now: start)
        #expect(try await store.all() == stored)
    }

    @Test("A new database on a full disk fails with a clear error, and a store in memory works")
    func nothingAtAll() async throws {
        let disk = try SmallFileSystem()
        disk.fill()
        await #expect {
            try await open(disk.folder.database)
        } throws: { error in
            if case StoreError.diskFull = error { true } else { false }
        }
        let store = try await AgentStore.openInMemory(now: start).store
        try await store.fill(3)
        disk.release()
        #expect(try await open(disk.folder.database).report.damage == nil)
    }
}
