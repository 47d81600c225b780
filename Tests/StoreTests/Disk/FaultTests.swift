import Glibc
import Testing

@testable import OdographStore

/// Each disk operation fails once, and all from some moment on, while a store is opened and used.
@Suite("Disk operations fail")
struct FaultTests {
    /// A way in which operations fail.
    struct Way: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var operations: SimulatedDisk.Operations
        var error = EIO
        var isHalfDone = false
        /// Whether the failure can also be permanent. A disk with permanent partial reads has a damaged database.
        var isAlsoForGood = true
    }

    private static let ways = [
        Way(testDescription: "open", operations: .open),
        Way(testDescription: "read", operations: .read),
        Way(testDescription: "half a read", operations: .read, isHalfDone: true, isAlsoForGood: false),
        Way(testDescription: "write", operations: .write),
        Way(testDescription: "half a write", operations: .write, isHalfDone: true),
        Way(testDescription: "synchronize", operations: .synchronize),
        Way(testDescription: "synchronize a folder", operations: .synchronizeFolder),
        Way(testDescription: "truncate", operations: .truncate),
        Way(testDescription: "create, remove or rename", operations: [.create, .remove, .rename]),
        Way(testDescription: "no space to grow", operations: .grow, error: ENOSPC),
        Way(testDescription: "no space to write", operations: .write, error: ENOSPC, isHalfDone: true),
    ]
    /// The number of moments for each way of failing. The long run sets `ODOGRAPH_FAULTS`.
    private static let moments = getenv("ODOGRAPH_FAULTS").flatMap { Int(String(cString: $0)) } ?? 12
    private static let steps = 30

    /// Returns an agent with a database that was used for a while.
    private func used(_ synchronous: StoreSynchronous) async throws -> SimulatedAgent {
        let options = StoreOptions(synchronous: synchronous).with {
            $0.walPreallocationBytes = 64 << 10
            $0.acknowledgementBatch = 4
            $0.busyTimeoutMilliseconds = 0
        }
        var agent = SimulatedAgent(
            disk: try SimulatedDisk(), options: options, history: StoreHistory(isSynchronized: synchronous == .full),
            seed: 1, clock: 0)
        try await agent.start()
        for _ in 0..<60 { try await agent.step() }
        return agent
    }

    @Test("A failure is reported, loses nothing else, and the store continues after it", arguments: ways)
    func fail(way: Way) async throws {
        for synchronous in StoreSynchronous.allCases {
            let past = try await used(synchronous)
            // Without a fault, to count the operations.
            var healthy = try past.next(seed: 2)
            healthy.disk.fail(SimulatedDisk.Fault(operations: way.operations, after: .max))
            try await healthy.start()
            for _ in 0..<Self.steps { try await healthy.step() }
            let count = healthy.disk.countedOperations
            for isForGood in way.isAlsoForGood ? [false, true] : [false] {
                for moment in stride(from: 0, to: count, by: max(1, count / Self.moments)) {
                    let fault = SimulatedDisk.Fault(
                        operations: way.operations, after: moment, count: isForGood ? .max : 1, error: way.error,
                        isHalfDone: way.isHalfDone)
                    do {
                        try await live(on: past, with: fault)
                    } catch {
                        Issue.record(
                            "\(way.testDescription) number \(moment) of \(count) \(isForGood ? "and all after it" : ""), synchronous \(synchronous.rawValue): \(error)"
                        )
                    }
                }
            }
        }
    }

    @Test("A database with short reads is not opened, and is intact after the fault")
    func shortReads() async throws {
        var agent = try await used(.full).next(seed: 2)
        agent.disk.fail(SimulatedDisk.Fault(operations: .read, isHalfDone: true))
        await #expect(throws: StoreError.self) {
            try await AgentStore.open(at: SimulatedAgent.path, options: agent.options, now: start)
        }
        agent.disk.fail(nil)
        // Starting checks that each record and the state are present.
        try await agent.start()
        #expect(agent.reports.all == [])
    }

    @Test("A damaged database that cannot be set aside stays unchanged, and the next start sets it aside")
    func cannotRename() async throws {
        let agent = try await used(.full).next(seed: 2)
        try agent.disk.damage(SimulatedAgent.path, at: 0, [UInt8](repeating: 0xA5, count: 4096))
        let damaged = try agent.disk.read(SimulatedAgent.path)
        agent.disk.fail(SimulatedDisk.Fault(operations: .rename))
        let error = await #expect(throws: StoreError.self) {
            try await AgentStore.open(at: SimulatedAgent.path, options: agent.options, now: start)
        }
        #expect(error?.description.contains("cannot be renamed to") == true, "\(String(describing: error))")
        #expect(try agent.disk.read(SimulatedAgent.path) == damaged)
        #expect(throws: SystemError.self) { try agent.disk.read(SimulatedAgent.path + ".new") }
        agent.disk.fail(nil)
        let (_, report) = try await AgentStore.open(at: SimulatedAgent.path, options: agent.options, now: start)
        #expect(report.damage != nil)
    }

    /// Runs an agent with a fault and then without it, and checks the disk after a kill and after a power cut.
    private func live(on past: SimulatedAgent, with fault: SimulatedDisk.Fault) async throws {
        var agent = try past.next(seed: 2)
        agent.disk.fail(fault)
        for _ in 0...Self.steps {
            do {
                try await agent.step()
            } catch is StoreError {
                // The store could not be opened; the agent tries again.
            }
        }
        agent.disk.fail(nil)
        let known = agent.errors.count
        // The first commit may ask for the whole tracker state again.
        for _ in 0..<3 { try await agent.commit() }
        let later = agent.errors.dropFirst(known).filter { if case .stateLost = $0 { false } else { true } }
        guard later.isEmpty else { throw StoreHistory.Violation("the fault is over, but: \(later)") }
        try await agent.inspect()
        for loss in [SimulatedDisk.Loss.nothing, .everything, .sectors] {
            var heir = try agent.next(losing: loss, seed: 3)
            try await heir.start()
            for _ in 0..<4 { try await heir.step() }
        }
    }
}
