import Glibc
import Testing

@testable import OdographStore

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

    /// Returns the disks after many power cuts.
    private func remains(_ loss: SimulatedDisk.Loss, seeds: Int = 50) throws -> [SimulatedDisk] {
        try (0..<seeds).map { try disk.afterCut(at: disk.logCount, losing: loss, seed: UInt64($0)) }
    }

    @Test("Synchronized data survives", arguments: SimulatedDisk.Loss.allCases)
    func synchronized(loss: SimulatedDisk.Loss) throws {
        for rest in try remains(loss) {
            #expect(try rest.read(Self.path) == [UInt8](repeating: 1, count: 8 * Self.sector))
        }
    }

    @Test("Each unsynchronized sector is old or new, in any mixture, and no other byte changes")
    func sectors() throws {
        try disk.write([UInt8](repeating: 2, count: 3 * Self.sector), to: Self.path, at: Self.sector - 100)
        try disk.write([UInt8](repeating: 3, count: 2 * Self.sector), to: Self.path, at: 2 * Self.sector)
        var mixtures: Set<[UInt8]> = []
        for rest in try remains(.sectors, seeds: 4000) {
            let content = try rest.read(Self.path)
            #expect(content.count == 8 * Self.sector)
            #expect(content[..<(Self.sector - 100)].allSatisfy { $0 == 1 })
            #expect(content[(4 * Self.sector)...].allSatisfy { $0 == 1 })
            // In a sector with two writes, the second is never present without the first.
            #expect(content[3 * Self.sector] != 3 || content[3 * Self.sector + 411] == 3)
            mixtures.insert([
                content[Self.sector - 1], content[Self.sector], content[2 * Self.sector], content[3 * Self.sector],
            ])
        }
        #expect(mixtures.count == 2 * 2 * 3 * 3)
        #expect(try remains(.nothing, seeds: 1).allSatisfy { try $0.read(Self.path) == disk.read(Self.path) })
        #expect(try remains(.everything, seeds: 1).allSatisfy { try !$0.read(Self.path).contains(2) })
    }

    @Test("An unsynchronized size may be the old one, and missing data is zeros")
    func sizes() throws {
        try disk.write([4, 4], to: Self.path, at: 10 * Self.sector)
        var found: Set<[UInt8]> = []
        for rest in try remains(.sectors) { found.insert(Array(try rest.read(Self.path).dropFirst(10 * Self.sector))) }
        #expect(found == [[], [4, 4], [0, 0]])
    }

    @Test("An unsynchronized name may be lost, and a renamed file has one of both names")
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

    @Test("A later synchronization does not save the data of a failed one")
    func failedSynchronization() throws {
        try disk.write([5], to: Self.path, at: 0)
        disk.fail(SimulatedDisk.Fault(operations: .synchronize, count: 1))
        #expect(throws: SystemError(code: EIO)) { try disk.synchronize(Self.path) }
        try disk.synchronize(Self.path)
        #expect(try disk.read(Self.path).first == 5)
        for rest in try remains(.everything) { #expect(try rest.read(Self.path).first == 1) }
    }

    @Test("The same cut always leaves the same disk, which does not change later")
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
        "The search for lost records detects a disk that does not synchronize",
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
            let options = StoreOptions().with { $0.walPreallocationBytes = 64 << 10 }
            let history = StoreHistory(isSynchronized: true)
            var agent = SimulatedAgent(disk: disk, options: options, history: history, seed: 11, clock: 0)
            try await agent.start()
            for _ in 0..<60 { try await agent.step() }
            logs.append(disk.log(upTo: disk.logCount, limit: .max))
        }
        #expect(logs[0].count > 10_000 && logs[0] == logs[1])
    }
}
