import CivilTime
import Glibc
import Testing

@testable import Store

/// A file system of half a megabyte, mounted for a test. Needs root; elsewhere the test is skipped.
final class SmallFileSystem: Sendable {
    let path: String

    static let isPossible: Bool = {
        guard geteuid() == 0, let made = try? SmallFileSystem() else { return false }
        return !made.path.isEmpty
    }()

    struct Refused: Error { var reason: String }

    init(bytes: Int = 512 << 10) throws {
        var template = Array("/tmp/odograph-small-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Refused(reason: String(cString: strerror(errno))) }
        path = String(cString: made)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(bytes)") == 0 else {
            rmdir(path)
            throw Refused(reason: String(cString: strerror(errno)))
        }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }
}

@Suite("A full disk", .enabled(if: SmallFileSystem.isPossible, "mounting a small file system needs root"))
struct DiskFullTests {
    @Test("Committing fails with a clear error, what is stored stays, and it goes on when there is space again")
    func fullDisk() async throws {
        let disk = try SmallFileSystem()
        let path = disk.path + "/agent.db"
        let options = StoreOptions(walGrowthBytes: 64 << 10)
        let store = try await open(path, options)
        var stored = try await store.fill(100, aCommit: 10)
        occupy(disk)
        var failure: StoreError?
        for step in 0..<400 where failure == nil {
            do {
                stored += try await store.commit(records(10), journal: [UInt8(step % 256)], now: start)
            } catch {
                failure = error
            }
        }
        guard case .diskFull(path, _)? = failure else {
            Issue.record("not told that the disk is full: \(String(describing: failure))")
            return
        }
        for _ in 0..<3 {
            await #expect(throws: StoreError.self) { try await store.commit(records(300), journal: [1], now: start) }
            #expect(try await store.all() == stored)
            #expect(try await store.statistics().newestSeq == stored.last?.seq)
        }
        unlink(disk.path + "/ballast")
        let next = try await store.commit(records(20), journal: [2], now: start)
        #expect(next.first?.seq == Int64(stored.count) + 1)
        #expect(try await store.all() == stored + next)
        #expect(await store.ledger().isEmpty)
    }

    @Test("A full disk is no reason to put a whole database aside")
    func openingOnFullDisk() async throws {
        let disk = try SmallFileSystem()
        let path = disk.path + "/agent.db"
        var stored: [StoredRecord] = []
        do { stored = try await open(path, StoreOptions(walGrowthBytes: 64 << 10)).fill(100) }
        occupy(disk)
        let store = try await open(path)
        #expect(store.report.damage == nil)
        #expect(try await store.all() == stored)
        // There is room in the log, which was grown when there was space.
        stored += try await store.commit([record()], journal: [], now: start)
        #expect(try await store.all() == stored)
    }

    @Test("A new database on a full disk is a clear error, and memory serves meanwhile")
    func nothingAtAll() async throws {
        let disk = try SmallFileSystem()
        occupy(disk)
        await #expect {
            try await open(disk.path + "/agent.db")
        } throws: { error in
            if case StoreError.diskFull = error { true } else { false }
        }
        let store = try await AgentStore.openInMemory(now: start).store
        try await store.fill(3)
        unlink(disk.path + "/ballast")
        #expect(try await open(disk.path + "/agent.db").report.damage == nil)
    }

    /// Leaves nothing.
    private func occupy(_ disk: SmallFileSystem) {
        guard let file = fopen(disk.path + "/ballast", "wb") else { return }
        setvbuf(file, nil, _IONBF, 0)
        let block = [UInt8](repeating: 1, count: 4096)
        while fwrite(block, 1, block.count, file) == block.count {}
        fclose(file)
    }
}
