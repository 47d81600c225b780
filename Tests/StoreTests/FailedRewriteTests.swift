import Glibc
import OdographHarness
import OdographThreads
import OdographWire
import Testing

@testable import OdographStore

/// The system's files. One read of the reservation fails after a new database was first renamed to its path.
private final class ReadFailure: FileOperations {
    private let system = SystemFileOperations()
    private let path: String
    /// Nil before the renaming.
    private let isDue = Lock<Bool?>(nil)

    init(after path: String) { self.path = path }

    var bootID: UInt64? { system.bootID }
    func exists(_ path: String) -> Bool { system.exists(path) }
    func status(of path: String) -> FileStatus? { system.status(of: path) }
    func isAccessible(_ path: String) -> Bool { system.isAccessible(path) }
    func names(in folder: String) -> [String] { system.names(in: folder) }
    func makeFolder(_ path: String) throws(SystemError) { try system.makeFolder(path) }
    func makeFile(_ path: String) throws(SystemError) { try system.makeFile(path) }
    func write(_ bytes: [UInt8], to path: String, at offset: Int) throws(SystemError) {
        try system.write(bytes, to: path, at: offset)
    }
    func grow(_ path: String, toBytes wanted: Int) throws(SystemError) { try system.grow(path, toBytes: wanted) }
    func synchronize(_ path: String) throws(SystemError) { try system.synchronize(path) }
    func remove(_ path: String) throws(SystemError) { try system.remove(path) }

    func rename(_ path: String, to other: String) throws(SystemError) {
        try system.rename(path, to: other)
        guard path == DatabaseOpener.unfinishedPath(of: self.path), other == self.path else { return }
        isDue.withLock { $0 = $0 ?? true }
    }

    func read(_ path: String) throws(SystemError) -> [UInt8] {
        if path.hasSuffix(StoreFileSystem.reservationSuffix), takeFailure() { throw SystemError(code: EIO) }
        return try system.read(path)
    }

    private func takeFailure() -> Bool {
        isDue.withLock { due in
            guard due == true else { return false }
            due = false
            return true
        }
    }
}

@Suite("A new database that cannot be opened after it has its name")
struct FailedRewriteTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var options: StoreOptions {
        var options = StoreOptions()
        options.files = StoreFileSystem(vfs: nil, operations: ReadFailure(after: folder.database))
        return options
    }

    @Test("The run in memory goes on, and no later run uses its numbers again", arguments: [false, true])
    func memory(isRepeated: Bool) async throws {
        let store = try await AgentStore.openInMemory(insteadOf: folder.database, options: options, now: second(100))
            .store
        let stored = try await store.fill(5)
        #expect(try await store.reopenFile(now: second(101)) == nil)
        await #expect(throws: StoreError.self) { try await store.moveIntoFile(snapshot: nil, now: second(101)) }
        #expect(await store.isWaitingForFile)
        let later = try await store.fill(5)
        #expect(later.map(\.key) == (6...10).map { RecordKey(epoch: stored[0].epoch, seq: $0) })
        if isRepeated {
            _ = try await store.reopenFile(now: second(102))
            try await store.moveIntoFile(snapshot: nil, now: second(102))
            #expect(try await store.all() == stored + later)
            try await store.acknowledge((stored + later).map(\.key))
            try await store.flushAcknowledgements()
            #expect(try await store.statistics().depth == 0)
            try await store.close()
        }
        // Without it, as after a power cut.
        let next = try await open(folder.database, now: second(200))
        let further = try await next.fill(1)
        let used = Set((stored + later).map(\.key))
        #expect(!used.contains(further[0].key))
    }

    @Test("The run in an open file goes on, and no later run uses its numbers again")
    func file() async throws {
        try await open(folder.database).close()
        let store = try await open(folder.database, options)
        let stored = try await store.fill(5)
        #expect(unlink(folder.database) == 0)
        let report = try #require(await store.verifyFile(now: second(101)))
        #expect(report.failure != nil)
        let later = try await store.fill(5)
        #expect(later.map(\.key) == (6...10).map { RecordKey(epoch: stored[0].epoch, seq: $0) })
        let next = try await open(folder.file("agent.db"), now: second(200))
        let further = try await next.fill(1)
        #expect(!Set((stored + later).map(\.key)).contains(further[0].key))
    }
}
