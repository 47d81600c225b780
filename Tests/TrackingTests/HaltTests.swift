import CivilTime
import Geodesy
import Testing

@testable import Tracking

/// What is told and turns out to be none is withdrawn, and what it had ended goes on.
@Suite("Halts and errands")
struct HaltTests {
    @Test("A halt that was told as a stop is part of its trip", arguments: [130.0, 170, 210, 250, 290])
    func shortHalt(seconds: Double) throws {
        let events = Track.halting(seconds: seconds).fixes.timeline()
        #expect(events.count(where: \.isWithdrawn) == 1)
        #expect(events.latest.map(\.letter) == ["S", "D", "S"])
        let trip = events.latest[1]
        let offSeconds = trip.durationSeconds - 600 - seconds
        #expect(!trip.isProvisional)
        // Each end is told to an epoch, and getting in belongs to the way.
        #expect(abs(offSeconds) <= 2 * MotionWindowBuilder.lengthSeconds + SegmentationParameters().boardingSeconds)
        guard case .transport(let way) = trip.kind else { return }
        #expect(abs(way.distanceMeters - 7200) < 0.01 * 7200)
        let times = way.waypoints.map(\.timestamp)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(try #require(times.first).seconds(since: trip.start) <= 10)
        #expect(try #require(trip.end).seconds(since: try #require(times.last)) <= 10)
    }

    @Test("A stand that is long enough parts two trips", arguments: [320.0, 400, 900])
    func stop(seconds: Double) {
        let events = Track.halting(seconds: seconds).fixes.timeline()
        #expect(events.allSatisfy { !$0.isWithdrawn })
        #expect(events.latest.map(\.letter) == ["S", "D", "S", "D", "S"])
    }

    @Test("Several halts are all part of the trip")
    func halts() {
        var track = Track()
        track.stand(seconds: 600)
        for _ in 0..<5 {
            track.go(seconds: 200, metersPerSecond: 12)
            track.stand(seconds: 180)
        }
        track.go(seconds: 200, metersPerSecond: 12)
        track.stand(seconds: 700)
        let events = track.fixes.timeline()
        #expect(events.count(where: \.isWithdrawn) == 5)
        #expect(events.latest.map(\.letter) == ["S", "D", "S"])
    }

    @Test("A trip has its end and its way as soon as the stop is told, and stays provisional until that is one")
    func tellsTheWay() throws {
        var track = Track()
        track.stand(seconds: 600)
        track.go(seconds: 300, metersPerSecond: 12)
        let arrived = track.now
        track.stand(seconds: 900)
        let events = track.fixes.timeline()
        let stop = try #require(events.first { $0.letter == "S" && $0.start > arrived.advanced(bySeconds: -10) })
        let trip = events.filter { $0.letter == "D" }
        let ended = try #require(trip.first { $0.end != nil })
        #expect(ended.isProvisional && ended.end == stop.start)
        let last = try #require(trip.last)
        #expect(!last.isProvisional && last.kind == ended.kind && last.end == ended.end)
        guard case .transport(let way) = ended.kind else { return }
        #expect(way.waypoints.count >= 2)
        // Who joins later hears the newest revision alone.
        #expect(events.last?.id == stop.id)
        let stood = last.lastUpdate.seconds(since: stop.start)
        let rules = SegmentationRules(TrackingConfiguration())
        #expect(stood >= rules.longestProvisionalSeconds && stood < rules.longestProvisionalSeconds + 20)
    }

    @Test("A walk to the letter box and back is no trip, and the stay stays one")
    func errand() {
        var track = Track()
        track.stand(seconds: 600)
        for heading in [0.0, 180] { track.go(seconds: 70, metersPerSecond: 1.3, headingDegrees: heading) }
        track.stand(seconds: 700)
        let events = track.fixes.timeline()
        #expect(events.contains { $0.letter == "W" })
        #expect(events.latest.map(\.letter) == ["S"])
    }
}
