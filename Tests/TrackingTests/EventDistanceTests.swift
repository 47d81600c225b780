import OdographCivilTime
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The distances of all events together")
struct EventDistanceTests {
    @Test("Trips, gaps and stops sum to the odometer's distance", arguments: [1.0, 5, 10, 60])
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
        #expect(TimelineInvariants.violations(in: events.latest, odometerMeters: meters).isEmpty, "\(what)")
        let sum = events.latest.reduce(0) { $0 + $1.distanceMeters }
        #expect(abs(meters - sum) < 0.05, "\(what): \(sum) of \(meters) m")
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
