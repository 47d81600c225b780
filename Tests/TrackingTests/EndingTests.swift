import OdographHarness
import OdographCivilTime
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The end of the input")
struct EndingTests {
    /// Returns a drive 96 m after its last record, optionally after a stop.
    private func drive(after restSeconds: Double = 0) -> Track {
        var track = Track()
        track.stand(seconds: restSeconds)
        track.go(seconds: 608, metersPerSecond: 12)
        return track
    }

    @Test("The last position is recorded once when the agent stops")
    func onTheWay() throws {
        let track = drive()
        var tracker = Tracker()
        let before = try #require(tracker.locations(from: track.fixes).last)
        let end = try #require(track.fixes.last)
        try #require(before.fix != end)
        let moment = ClockReading(replayed: end.timestamp.advanced(bySeconds: 2))
        let told = tracker.recordFinalPosition(at: moment).compactMap(\.location)
        #expect(told.map(\.fix) == [end])
        #expect(told.map(\.cause) == [nil])
        #expect(told.map(\.ageMilliseconds) == [2000])
        #expect(told.map(\.odometerMeters) == [tracker.odometerMeters])
        #expect(tracker.odometerMeters > before.odometerMeters)
        #expect(tracker.recordFinalPosition(at: moment).isEmpty)
    }

    @Test("A stop some seconds before the agent's end is recorded at the vehicle's position")
    func ignition() throws {
        var track = drive()
        track.stand(seconds: 8)
        var tracker = Tracker()
        _ = tracker.locations(from: track.fixes)
        let told = tracker.recordFinalPosition(at: ClockReading(replayed: track.now)).compactMap(\.location)
        #expect(told.map(\.fix.coordinate) == [track.end])
    }

    @Test(
        "Nothing is recorded without a new position, or if recording is not allowed",
        arguments: ["never", "parked", "private", "stop", "disabled"])
    func silence(_ what: String) {
        var track = what == "never" ? Track() : drive()
        if what == "parked" { track.stand(seconds: 600) }
        var tracker = Tracker()
        _ = tracker.locations(from: track.fixes)
        let moment = ClockReading(replayed: track.now)
        let mode: OffScheduleRule.Mode? = what == "private" ? .private : what == "stop" ? .stop : nil
        if let mode { _ = tracker.handle(.schedule(.closed(OffScheduleRule(mode: mode)), at: moment)) }
        if what == "disabled" {
            var configuration = TrackingConfiguration()
            configuration.isEnabled = false
            _ = tracker.handle(.configuration(configuration, at: moment))
        }
        #expect(tracker.recordFinalPosition(at: moment).isEmpty)
    }

    @Test("The records of a run contain its whole distance", arguments: [0.0, 300])
    func recording(restSeconds: Double) throws {
        let track = drive(after: restSeconds)
        var tracker = Tracker()
        var outputs = track.fixes.flatMap { tracker.handle(.fix($0)) }
        outputs += tracker.finish(at: ClockReading(replayed: track.now))
        let last = try #require(outputs.compactMap(\.location).last)
        #expect(last.odometerMeters == tracker.odometerMeters)
        #expect(last.fix == track.fixes.last)
    }
}
