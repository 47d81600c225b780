import OdographCivilTime
import OdographHarness

@testable import OdographStore

/// Cuts the power of a simulated agent at many moments, opens the store on a possible disk after each cut, and
/// continues from there.
///
/// One seed always makes the same tree of histories: an agent works, the power is cut at several moments of the disk's
/// log, and on each of these disks another agent starts, whose power is cut as well, even while it opens the store.
struct PowerCutExplorer {
    /// A seed whose tree has a violation.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The work of an agent before the power cuts, and the number of cuts.
    struct Level {
        var steps: Int
        var cuts: Int
    }

    let synchronous: StoreSynchronous
    let seed: UInt64
    /// The fault of each disk.
    let fault: SimulatedDisk.Fault?
    private(set) var cutCount = 0
    private var random: SplitMix64
    private let options: StoreOptions
    /// The cuts that led to the present disk, and the log before the last one, for a message.
    private var trail: [String] = []
    private var log = ""

    init(synchronous: StoreSynchronous, seed: UInt64, fault: SimulatedDisk.Fault? = nil) {
        self.fault = fault
        self.synchronous = synchronous
        self.seed = seed
        var random = SplitMix64(seed: seed)
        var options = StoreOptions(
            synchronous: synchronous, maximumBytes: Bool.random(using: &random) ? 64 << 20 : 256 << 10)
        options.walPreallocationBytes = 64 << 10
        options.acknowledgementBatch = Int.random(in: 1...20, using: &random)
        if Bool.random(using: &random) { options.fullCheckMaximumBytes = 0 }
        self.options = options
        self.random = random
    }

    /// Explores the whole tree of the seed.
    ///
    /// - Throws: ``Failure`` with the seed and the cuts that led to it.
    mutating func run() async throws {
        // Either many cuts of one run, or one cut of each of many runs.
        let levels =
            Int.random(in: 0..<4, using: &random) > 0
            ? [
                Level(steps: 60, cuts: 12), Level(steps: 4, cuts: 2), Level(steps: 2, cuts: 1),
                Level(steps: 1, cuts: 0),
            ]
            : Array(repeating: Level(steps: 20, cuts: 1), count: 12) + [Level(steps: 1, cuts: 0)]
        let disk = try SimulatedDisk()
        let history = StoreHistory(isSynchronized: synchronous == .full)
        do {
            try await explore(disk, history, clock: 0, levels[...])
        } catch {
            throw Failure(
                description:
                    "seed \(seed), synchronous \(synchronous.rawValue), after \(trail.joined(separator: "; ")): \(error)\n\(log)"
            )
        }
    }

    private mutating func explore(
        _ disk: SimulatedDisk, _ history: StoreHistory, clock: Int, _ levels: ArraySlice<Level>
    ) async throws {
        guard let level = levels.first else { return }
        let next = levels.dropFirst()
        disk.fail(fault)
        var agent = SimulatedAgent(
            disk: disk, options: options, history: history, seed: random.next(), clock: clock)
        try await agent.start()
        for _ in 0..<level.steps { try await agent.step() }
        let troubles = agent.errors.map(\.description) + agent.reports.all
        guard troubles.isEmpty else { throw StoreHistory.Violation("the store reported \(troubles)") }
        for _ in 0..<level.cuts {
            let position = Int.random(in: 0...disk.logCount, using: &random)
            let loss = SimulatedDisk.Loss.allCases.randomElement(using: &random) ?? .nothing
            let rest = try disk.afterCut(at: position, losing: loss, seed: random.next())
            cutCount += 1
            log = disk.log(upTo: position)
            trail.append("\(position) of \(disk.logCount) operations, losing \(loss)")
            let known = try agent.history(at: position, from: history)
            try await explore(rest, known, clock: agent.clock, next)
            trail.removeLast()
        }
    }
}
