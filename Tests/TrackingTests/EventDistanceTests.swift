import OdographCivilTime
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The distances of all events together")
struct EventDistanceTests {
    @Test("Trips and gaps sum to the odometer's distance within its bound", arguments: [1.0, 5, 10, 60])
    func sum(everySeconds seconds: Double) throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            let fixes = VehicleDay(seed: seed, everySeconds: seconds).fixes
            try check(fixes, "seed \(seed)")
            try check(silenced(fixes, seed: seed), "seed \(seed), with silences")
        }
    }

    private func check(_ fixes: [Fix], _ what: String) throws {
        var tracker = Tracker()
        var events = tracker.timeline(from: fixes)
        events += tracker.finish(at: try #require(fixes.last).received).compactMap(\.event)
        let meters = tracker.odometerMeters
        // They are never longer.
        #expect(TimelineInvariants.violations(in: events.latest, odometerMeters: meters).isEmpty, "\(what)")
        let sum = events.latest.reduce(0) { $0 + ($1.transport?.distanceMeters ?? $1.gapDistance?.meters ?? 0) }
        #expect(meters - sum <= tracker.odometerErrorMeters, "\(what): \(sum) of \(meters) m")
    }

    /// Returns the fixes without those of four silences of 4 to 25 minutes.
    private func silenced(_ fixes: [Fix], seed: UInt64) throws -> [Fix] {
        var random = SplitMix64(seed: seed)
        let silences = try (0..<4).map { _ in
            let start = try #require(fixes.randomElement(using: &random)).timestamp
            return start...start.advanced(bySeconds: Double.random(in: 240...1500, using: &random))
        }
        return fixes.filter { fix in !silences.contains { $0.contains(fix.timestamp) } }
    }
}
