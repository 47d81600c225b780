import Glibc
import OdographHarness
import Testing

@testable import OdographStore

@Suite("Delivery with receipts, with faults at any moment")
struct DeliveryPropertyTests {
    /// The number of histories in each mode. A longer run sets `ODOGRAPH_DELIVERIES`.
    private static let historyCount = getenv("ODOGRAPH_DELIVERIES").flatMap { UInt64(String(cString: $0)) } ?? 60

    @Test(
        "Each number is kept, named or covered at each moment, and everything is settled after the last fault",
        arguments: StoreSynchronous.allCases)
    func histories(synchronous: StoreSynchronous) async throws {
        var deleted = 0
        for seed in 1...Self.historyCount {
            var simulation = try await DeliverySimulation(synchronous: synchronous, seed: seed)
            do {
                for _ in 0..<80 { try await simulation.step() }
                try await simulation.settle()
            } catch {
                Issue.record("seed \(seed): \(error)\n\(simulation.trail.suffix(40).joined(separator: "\n"))")
                return
            }
            deleted += simulation.deletedCount
        }
        #expect(deleted > 100)
    }
}
