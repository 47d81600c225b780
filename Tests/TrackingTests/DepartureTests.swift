import OdographCivilTime
import OdographGeodesy
import OdographHarness
import Testing

@testable import OdographTracking

/// A departure is published early and withdrawn if it was none.
@Suite("Provisional departures")
struct DepartureTests {
    /// Returns ten minutes at a place and a walk away from it.
    private func wayOut(seconds: Double, accuracyMeters: Double = 4) -> Track {
        var track = Track()
        track.go(seconds: 600, metersPerSecond: 0, accuracyMeters: accuracyMeters)
        track.go(seconds: seconds, metersPerSecond: 1.3, accuracyMeters: accuracyMeters)
        return track
    }

    /// Long enough to be published, not long enough to be certain.
    private let doubtedSeconds = 26.0

    @Test("A walk away from a place is published before it is clearly outside the noise", arguments: [3.0, 6, 12, 20])
    func early(accuracyMeters: Double) throws {
        let track = wayOut(seconds: 120, accuracyMeters: accuracyMeters)
        let events = track.fixes.timeline()
        let told = try #require(events.first { $0.letter == "W" })
        let way = (told.lastUpdate.seconds(since: track.now) + 120) * 1.3
        #expect(way < max(accuracyMeters, 10) + DepartureParameters.clearanceMeters)
        #expect(told.lastUpdate.seconds(since: told.start) <= 50)
        #expect(events.latest.map(\.letter) == ["S", "W"])
        #expect(events.latest.last?.id == told.id)
    }

    @Test("After a turn back the trip is withdrawn and the stop continues under its identifier")
    func turnsBack() throws {
        var track = wayOut(seconds: doubtedSeconds)
        track.go(seconds: doubtedSeconds, metersPerSecond: 1.3, headingDegrees: 270)
        track.stand(seconds: 600)
        let events = track.fixes.timeline()
        let told = try #require(events.first { $0.letter == "W" })
        let ended = try #require(events.last { $0.end == told.start && $0.start < told.start })
        #expect(ended.isProvisional && ended.letter == "S")
        let withdrawn = try #require(events.last { $0.id == told.id })
        #expect(withdrawn.isWithdrawn && !withdrawn.isProvisional && withdrawn.revision > told.revision)
        #expect(withdrawn.start == told.start && withdrawn.end == told.start && withdrawn.kind == .unknown)
        let place = try #require(events.last)
        #expect(place.id == ended.id && place.isProvisional && place.end == nil && place.letter == "S")
        #expect(events.latest.map(\.id) == [place.id])
    }

    @Test("After a short walk without a continuation the stop continues")
    func goesNoFarther() {
        var track = wayOut(seconds: doubtedSeconds)
        track.stand(seconds: 600)
        let events = track.fixes.timeline()
        #expect(events.contains { $0.letter == "W" })
        #expect(events.latest.allSatisfy { $0.letter == "S" })
    }

    @Test("After a turn back the trip begins with the later departure")
    func goesOnLater() throws {
        var track = wayOut(seconds: doubtedSeconds)
        track.go(seconds: doubtedSeconds, metersPerSecond: 1.3, headingDegrees: 270)
        track.stand(seconds: 300)
        let left = track.now
        track.go(seconds: 200, metersPerSecond: 10)
        let latest = track.fixes.timeline().latest
        #expect(latest.map(\.letter) == ["S", "D"])
        #expect(abs(try #require(latest.last).start.seconds(since: left)) <= 10)
    }

    @Test("Without a reported accuracy no departure is published early")
    func withoutAccuracy() {
        var track = Track()
        track.go(seconds: 600, metersPerSecond: 0, accuracyMeters: nil)
        track.go(seconds: doubtedSeconds, metersPerSecond: 1.3, accuracyMeters: nil)
        #expect(track.fixes.timeline().allSatisfy { $0.letter != "W" })
    }

    /// Interruptions before the departure is certain.
    enum Interruption: CaseIterable { case silence, disabled, end, restart }

    @Test("A departure that never became certain is withdrawn", arguments: Interruption.allCases)
    func interrupted(by interruption: Interruption) {
        var track = wayOut(seconds: doubtedSeconds)
        var tracker = Tracker()
        var events = tracker.timeline(from: track.fixes)
        #expect(events.last?.letter == "W")
        let count = track.fixes.count
        track.pause(seconds: 900)
        let later = track.moment()
        switch interruption {
        case .silence: break
        case .restart: _ = tracker.handle(.started(at: later))
        case .disabled:
            events += tracker.handle(.configuration(.off, at: later)).compactMap(\.event)
        case .end: events += tracker.finish(at: later).compactMap(\.event)
        }
        if interruption == .silence || interruption == .restart {
            track.stand(seconds: 60)
            events += tracker.timeline(from: Array(track.fixes[count...]))
        }
        #expect(events.latest.allSatisfy { $0.letter != "W" && $0.letter != "D" }, "\(events.latest.map(\.letter))")
        for (earlier, later) in zip(events.latest, events.latest.dropFirst()) { #expect(earlier.end == later.start) }
    }
}
