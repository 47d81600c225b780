import Glibc
import Testing

@testable import Store

@Suite("The power is cut at any moment")
struct PowerCutTests {
    /// How many cuts in each mode; the long run sets `ODOGRAPH_POWER_CUTS`, which counts both.
    private static let cuts = (number("ODOGRAPH_POWER_CUTS") ?? 2000) / 2
    /// One seed to run again, in place of as many as are needed.
    private static let seed = number("ODOGRAPH_POWER_CUT_SEED").map(UInt64.init)

    private static func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

    @Test(
        "Nothing committed is lost when commits are synchronized, and no number and no identifier ever has two contents",
        arguments: StoreOptions.Synchronous.allCases)
    func cut(synchronous: StoreOptions.Synchronous) async throws {
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
}
