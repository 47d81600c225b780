import OdographCivilTime
import OdographGeodesy
import Testing

@testable import OdographTracking

/// A published stop that turns out to be none is withdrawn, and the event that it ended continues.
@Suite("Halts and errands")
struct HaltTests {
    @Test("A halt that was published as a stop belongs to its trip", arguments: [130.0, 170, 210, 250, 290])
    func shortHalt(seconds: Double) throws {
        let events = Track.halting(seconds: seconds).fixes.timeline()
        #expect(events.count(where: \.isWithdrawn) == 1)
        #expect(events.latest.map(\.letter) == ["S", "D", "S"])
        let trip = events.latest[1]
        let offSeconds = trip.durationSeconds - 600 - seconds
        #expect(!trip.isProvisional)
        // The precision of each end is one motion window, and boarding belongs to the trip.
        #expect(abs(offSeconds) <= 2 * MotionWindowBuilder.lengthSeconds + SegmentationParameters().boardingSeconds)
        guard case .transport(let way) = trip.kind else { return }
        #expect(abs(way.distanceMeters - 7200) < 0.01 * 7200)
        let times = way.waypoints.map(\.timestamp)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(try #require(times.first).seconds(since: trip.start) <= 10)
        #expect(try #require(trip.end).seconds(since: try #require(times.last)) <= 10)
    }

    @Test("A long enough stop separates two trips", arguments: [320.0, 400, 900])
    func stop(seconds: Double) {
        let events = Track.halting(seconds: seconds).fixes.timeline()
        #expect(events.allSatisfy { !$0.isWithdrawn })
        #expect(events.latest.map(\.letter) == ["S", "D", "S", "D", "S"])
    }

    @Test("A queue that rolls to the next light after a halt does not end the trip", arguments: [15.0, 25, 35])
    func rollingQueue(seconds: Double) {
        let track = Track.drive { track in
            track.stand(seconds: 150)
            track.go(seconds: seconds, metersPerSecond: 1.6)
            track.stand(seconds: 10)
        }
        #expect(track.fixes.timeline().latest.map(\.letter) == ["S", "D", "S"])
    }

    @Test("A walk that leads away from a vehicle after a short stop is a walk")
    func walksAway() {
        let track = Track.drive { track in
            track.stand(seconds: 150)
            track.go(seconds: 200, metersPerSecond: 1.4, headingDegrees: 0)
            track.stand(seconds: 900)
        }
        #expect(track.fixes.timeline().latest.map(\.letter).starts(with: ["S", "D", "S", "W", "S"]))
    }

    @Test("A parked receiver that loses satellites and drifts has not been carried away and back")
    func drifting() {
        let track = Track.drive { track in
            track.stand(seconds: 20)
            // Some metres back, slower than a walk, and then slowly off past the place of the halt.
            track.go(
                seconds: 30, metersPerSecond: 0.35, headingDegrees: 270, accuracyMeters: 12, reportsSpeed: false)
            track.go(seconds: 10, metersPerSecond: 0, accuracyMeters: 12, reportsSpeed: false)
            track.go(seconds: 15, metersPerSecond: 1.2, accuracyMeters: 12)
        }
        #expect(track.fixes.timeline().latest.map(\.letter) == ["S", "D", "S"])
    }

    @Test("Several halts all belong to the trip")
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

    @Test("A trip gets its end and its path with the stop, and stays provisional until the stop is certain")
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
        // A later subscriber receives only the newest revision.
        #expect(events.last?.id == stop.id)
        let stood = last.lastUpdate.seconds(since: stop.start)
        let rules = SegmentationRules(TrackingConfiguration())
        #expect(stood >= rules.longestProvisionalSeconds && stood < rules.longestProvisionalSeconds + 20)
    }

    @Test("A walk to the letter box and back is not a trip, and the stop continues")
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
