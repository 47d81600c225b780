import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The distance over a gap in the timeline")
struct GapDistanceTests {
    /// Returns the last revisions of a drive, a time without positions in which the vehicle went on, and a walk.
    private func events(silentSeconds: Double, metersAway: Double) -> [TimelineEvent] {
        var track = Track()
        track.go(seconds: 300, metersPerSecond: 12)
        track.pause(seconds: silentSeconds)
        let place = track.end.destination(headingDegrees: 90, distanceMeters: metersAway)
        for second in 0..<300 {
            track.add(
                place.destination(headingDegrees: 0, distanceMeters: 1.3 * Double(second)), speed: 1.3, heading: 0)
            track.pause(seconds: 1)
        }
        return track.fixes.timeline().latest
    }

    @Test("It belongs to the gap, with an error, and not to the walk that follows")
    func belongsToGap() throws {
        let events = events(silentSeconds: 2400, metersAway: 40_000)
        #expect(events.map(\.letter) == ["D", "-", "W"])
        let gap = try #require(events[1].gapDistance)
        #expect(gap.meters >= 40_000 && abs(gap.meters - 40_000) <= gap.errorMeters, "\(gap)")
        let walk = try #require(events.last?.transport)
        #expect(abs(walk.distanceMeters - 1.3 * 299) < 30, "\(walk.distanceMeters)")
        events.expectInvariants()
    }

    @Test("A gap that is deliberately not recorded has none")
    func suspended() {
        var track = Track()
        track.go(seconds: 300, metersPerSecond: 12)
        var tracker = Tracker()
        var events = tracker.timeline(from: track.fixes)
        events += tracker.handle(.configuration(.off, at: track.moment())).compactMap(\.event)
        track.pause(seconds: 2400)
        events += tracker.handle(.configuration(TrackingConfiguration(), at: track.moment())).compactMap(\.event)
        let parted = track.fixes.count
        track.go(seconds: 300, metersPerSecond: 12)
        events += tracker.timeline(from: Array(track.fixes[parted...]))
        events += tracker.finish(at: track.moment()).compactMap(\.event)
        #expect(events.latest.contains { $0.kind == .offTheGrid(.disabled) })
        #expect(events.allSatisfy { $0.gapDistance == nil })
    }
}
