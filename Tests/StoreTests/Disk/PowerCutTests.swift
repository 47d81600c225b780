import Glibc
import OdographHarness
import Testing

@testable import OdographStore

@Suite("Power cuts at any moment")
struct PowerCutTests {
    /// The number of cuts in each mode. The long run sets `ODOGRAPH_POWER_CUTS`, which counts both modes.
    private static let cuts = (number("ODOGRAPH_POWER_CUTS") ?? 2000) / 2
    /// A single seed to repeat, instead of as many as necessary.
    private static let seed = number("ODOGRAPH_POWER_CUT_SEED").map(UInt64.init)

    private static func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

    @Test(
        "Synchronized commits are never lost, and no number and no identifier ever has two contents",
        arguments: StoreSynchronous.allCases)
    func cut(synchronous: StoreSynchronous) async throws {
        var seed = Self.seed ?? 1
        var count = 0
        repeat {
            var explorer = PowerCutExplorer(synchronous: synchronous, seed: seed)
            try await explorer.run()
            count += explorer.cutCount
            seed += 1
        } while count < Self.cuts && Self.seed == nil
        print("\(count) power cuts, synchronous \(synchronous.rawValue), seeds up to \(seed - 1)")
    }

    @Test(
        "Repeated kills at any moment lose nothing in either mode, and no damage is reported",
        arguments: StoreSynchronous.allCases)
    func killed(synchronous: StoreSynchronous) async throws {
        var count = 0
        var seed: UInt64 = 1
        repeat {
            var random = SplitMix64(seed: seed)
            var options = StoreOptions(synchronous: synchronous)
            options.walPreallocationBytes = 64 << 10
            options.acknowledgementBatch = Int.random(in: 1...20, using: &random)
            if Bool.random(using: &random) { options.fullCheckMaximumBytes = 0 }
            var (disk, clock) = (try SimulatedDisk(), 0)
            var history = StoreHistory(isSynchronized: true)
            var trail: [String] = []
            for life in 0..<20 {
                var agent = SimulatedAgent(
                    disk: disk, options: options, history: history, seed: random.next(), clock: clock)
                do {
                    try await agent.start()
                    for _ in 0..<Int.random(in: 1...15, using: &random) { try await agent.step() }
                    let troubles = agent.errors.map(\.description) + agent.reports.all
                    guard troubles.isEmpty else { throw StoreHistory.Violation("\(troubles)") }
                } catch {
                    Issue.record("seed \(seed), life \(life): \(error)\n\(trail.joined(separator: "\n"))")
                    break
                }
                var position = Int.random(in: 0...disk.logCount, using: &random)
                // A frame of the log without its page looks like a damaged one.
                while disk.log(upTo: position, limit: 1).contains(#/write .*\+24 /#), position < disk.logCount {
                    position += 1
                }
                trail =
                    trail.suffix(1) + ["killed after \(position) operations:\n\(disk.log(upTo: position, limit: 40))"]
                history = try agent.history(at: position, from: history)
                (disk, clock) = (try disk.afterKill(at: position), agent.clock)
                count += 1
            }
            seed += 1
        } while count < Self.cuts / 4
        print("\(count) kills, synchronous \(synchronous.rawValue)")
    }
}
