import Glibc
import Testing

@testable import Store

@Suite("A simulated disk")
struct SimulatedDiskTests {
    private static let path = "/data/file"
    private static let sector = 512

    private let disk: SimulatedDisk

    init() throws {
        disk = try SimulatedDisk()
        try disk.makeFolder("/data")
        try disk.synchronize("/")
        try disk.makeFile(Self.path)
        try disk.write([UInt8](repeating: 1, count: 8 * Self.sector), to: Self.path, at: 0)
        try disk.synchronize(Self.path)
        try disk.synchronize("/data/")
    }

    /// What many power cuts leave.
    private func remains(_ loss: SimulatedDisk.Loss, seeds: Int = 50) throws -> [SimulatedDisk] {
        try (0..<seeds).map { try disk.afterCut(at: disk.logCount, losing: loss, seed: UInt64($0)) }
    }

    @Test("What was synchronized survives", arguments: SimulatedDisk.Loss.allCases)
    func synchronized(loss: SimulatedDisk.Loss) throws {
        for rest in try remains(loss) {
            #expect(try rest.read(Self.path) == [UInt8](repeating: 1, count: 8 * Self.sector))
        }
    }

    @Test("Of what was not synchronized each sector is old or new, in any mixture, and no byte beside it changes")
    func sectors() throws {
        try disk.write([UInt8](repeating: 2, count: 3 * Self.sector), to: Self.path, at: Self.sector - 100)
        try disk.write([UInt8](repeating: 3, count: 2 * Self.sector), to: Self.path, at: 2 * Self.sector)
        var mixtures: Set<[UInt8]> = []
        for rest in try remains(.sectors, seeds: 4000) {
            let content = try rest.read(Self.path)
            #expect(content.count == 8 * Self.sector)
            #expect(content[..<(Self.sector - 100)].allSatisfy { $0 == 1 })
            #expect(content[(4 * Self.sector)...].allSatisfy { $0 == 1 })
            // In a sector that two wrote to, the second is not there without the first.
            #expect(content[3 * Self.sector] != 3 || content[3 * Self.sector + 411] == 3)
            mixtures.insert([
                content[Self.sector - 1], content[Self.sector], content[2 * Self.sector], content[3 * Self.sector],
            ])
        }
        #expect(mixtures.count == 2 * 2 * 3 * 3)
        #expect(try remains(.nothing, seeds: 1).allSatisfy { try $0.read(Self.path) == disk.read(Self.path) })
        #expect(try remains(.everything, seeds: 1).allSatisfy { try !$0.read(Self.path).contains(2) })
    }

    @Test("A size that was not synchronized may be the old one, and what is missing is zeros")
    func sizes() throws {
        try disk.write([4, 4], to: Self.path, at: 10 * Self.sector)
        var found: Set<[UInt8]> = []
        for rest in try remains(.sectors) { found.insert(Array(try rest.read(Self.path).dropFirst(10 * Self.sector))) }
        #expect(found == [[], [4, 4], [0, 0]])
    }

    @Test("A name that was not synchronized may be lost, and a renamed file has one of both names")
    func names() throws {
        try disk.makeFile("/data/new")
        try disk.synchronize("/data/new")
        try disk.rename(Self.path, to: "/data/other")
        var found: Set<[String]> = []
        for rest in try remains(.sectors) { found.insert(rest.names(in: "/data").sorted()) }
        #expect(found == [["file"], ["file", "new"], ["other"], ["new", "other"]])
        try disk.synchronize("/data")
        for rest in try remains(.everything) { #expect(rest.names(in: "/data").sorted() == ["new", "other"]) }
    }

    @Test("After a synchronization that failed, a later one does not bring back what it missed")
    func failedSynchronization() throws {
        try disk.write([5], to: Self.path, at: 0)
        disk.fail(SimulatedDisk.Fault(operations: .synchronize, count: 1))
        #expect(throws: SystemError(code: EIO)) { try disk.synchronize(Self.path) }
        try disk.synchronize(Self.path)
        #expect(try disk.read(Self.path).first == 5)
        for rest in try remains(.everything) { #expect(try rest.read(Self.path).first == 1) }
    }

    @Test("The same cut leaves the same disk, and a disk that is left does not change")
    func repeatable() throws {
        try disk.write([UInt8](repeating: 6, count: 6 * Self.sector), to: Self.path, at: 77)
        let first = try disk.afterCut(at: disk.logCount, losing: .sectors, seed: 7)
        let content = try first.read(Self.path)
        try disk.write([7], to: Self.path, at: 0)
        #expect(try disk.afterCut(at: disk.logCount - 1, losing: .sectors, seed: 7).read(Self.path) == content)
        #expect(try first.read(Self.path) == content)
        #expect(first.files.vfs != disk.files.vfs)
    }

    @Test(
        "A disk that only says that it synchronizes is found out: the search for lost records finds some",
        arguments: [SimulatedDisk.Operations.synchronize, .synchronizeFolder])
    func lyingDisk(operations: SimulatedDisk.Operations) async throws {
        let fault = SimulatedDisk.Fault(operations: operations, isHidden: true)
        await #expect(throws: PowerCutExplorer.Failure.self) {
            for seed in 1...UInt64(20) {
                var explorer = PowerCutExplorer(synchronous: .full, seed: seed, fault: fault)
                try await explorer.run()
            }
        }
    }

    @Test("One seed makes the same history twice")
    func sameHistory() async throws {
        var logs: [String] = []
        for _ in 0..<2 {
            let disk = try SimulatedDisk()
            let history = StoreHistory(isSynchronized: true)
            var agent = SimulatedAgent(
                disk: disk, options: StoreOptions(walPreallocationBytes: 64 << 10), history: history, seed: 11, clock: 0
            )
            try await agent.start()
            for _ in 0..<60 { try await agent.step() }
            logs.append(disk.log(upTo: disk.logCount, limit: .max))
        }
        #expect(logs[0].count > 10_000 && logs[0] == logs[1])
    }
}
