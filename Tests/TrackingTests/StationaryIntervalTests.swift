import OdographCivilTime
import FoundationEssentials
import Testing

@testable import OdographTracking

/// The stationary interval can be seconds up to an hour, and defines the stops of the timeline.
@Suite("The stationary interval")
struct StationaryIntervalTests {
    private static func tracker(intervalSeconds: Double) -> Tracker {
        var configuration = TrackingConfiguration()
        configuration.stationary.intervalSeconds = intervalSeconds
        return Tracker(configuration: configuration)
    }

    @Test(
        "A stop is published after the interval, for any interval",
        arguments: [60, 120, 295, 300, 310, 600, 1800, 3600], [1, 5, 30])
    func stop(intervalSeconds: Double, spacingSeconds: Double) throws {
        var tracker = Self.tracker(intervalSeconds: intervalSeconds)
        var arrival = Timestamp(millisecondsSinceEpoch: 0)
        let track = Track.drive(every: spacingSeconds) { track in
            arrival = track.now
            track.stand(seconds: max(4 * intervalSeconds, 900), every: spacingSeconds)
        }
        let events = tracker.timeline(from: track.fixes)
        let latest = events.latest
        #expect(latest.map(\.letter).prefix(4) == ["S", "D", "S", "D"])
        let stay = try #require(latest.dropFirst(2).first)
        #expect(abs(stay.start.seconds(since: arrival)) <= 2 * spacingSeconds + 15)
        let told = try #require(events.first { $0.id == stay.id && $0.letter == "S" }?.lastUpdate)
        #expect(told.seconds(since: arrival) <= intervalSeconds + 3 * spacingSeconds + 30)
        #expect(told.seconds(since: arrival) >= intervalSeconds / 2)
    }

    @Test("The state with the longest interval is a fraction of a megabyte")
    func state() throws {
        var tracker = Self.tracker(intervalSeconds: 3600)
        var track = Track()
        for _ in 0..<2 {
            track.go(seconds: 3000, metersPerSecond: 12, every: 5)
            track.stand(seconds: 4200, every: 5)
        }
        _ = tracker.timeline(from: track.fixes)
        #expect(tracker.recent.movement.windows.count > 1000)
        #expect(try JSONEncoder().encode(tracker).count < 300_000)
    }

    @Test("Repeated backward steps of the receiver's clock leave a bounded history")
    func boundedHistory() {
        var tracker = Self.tracker(intervalSeconds: 600)
        var track = Track()
        for _ in 0..<12 {
            track.go(seconds: 1200, metersPerSecond: 10, every: 5)
            track.pause(seconds: -900)
        }
        _ = tracker.timeline(from: track.fixes)
        #expect(tracker.recent.movement.windows.count <= 60 + 1200 / 5)
    }
}
