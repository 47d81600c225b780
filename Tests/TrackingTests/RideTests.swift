import CivilTime
import FoundationEssentials
import Geodesy
import Harness
import Testing

@testable import Tracking

/// Short rides between walks, at a position in 5 s and nothing else, as of somebody who delivers.
@Suite("Short rides")
struct RideTests {
    private static let interval = 5.0

    private func track(_ legs: [(seconds: Double, metersPerSecond: Double, headingDegrees: Double)]) -> Track {
        var track = Track()
        for leg in legs {
            track.go(
                seconds: leg.seconds, metersPerSecond: leg.metersPerSecond, headingDegrees: leg.headingDegrees,
                every: Self.interval, accuracyMeters: nil, reportsSpeed: false)
        }
        return track
    }

    private func events(of track: Track, endsRecording: Bool = false) -> [TimelineEvent] {
        var tracker = Tracker()
        var events = tracker.timeline(from: track.fixes)
        if endsRecording { events += tracker.finish(at: track.moment()).compactMap(\.event) }
        return events.latest
    }

    @Test("Half a minute at a speed that nobody walks at is a ride, from getting in on")
    func rideBetweenWalks() throws {
        var walk = track([(200, 1.3, 0), (15, 0, 0)])
        let boarding = walk.now
        walk.go(seconds: 30, metersPerSecond: 6, every: Self.interval, accuracyMeters: nil, reportsSpeed: false)
        walk.go(seconds: 15, metersPerSecond: 0, every: Self.interval, accuracyMeters: nil, reportsSpeed: false)
        let out = walk.now
        walk.go(
            seconds: 150, metersPerSecond: 1.3, headingDegrees: 0, every: Self.interval, accuracyMeters: nil,
            reportsSpeed: false)
        let events = events(of: walk)
        #expect(events.map(\.letter) == ["W", "D", "W"])
        let ride = try #require(events.first { $0.letter == "D" })
        #expect(abs(ride.start.seconds(since: boarding)) <= 2 * Self.interval)
        #expect(abs(try #require(ride.end).seconds(since: out)) <= 4 * Self.interval)
    }

    @Test("A vehicle that is moved on by a house or two has been on the way")
    func movedOn() {
        let events = events(of: track([(600, 0, 0), (15, 4.5, 90), (600, 0, 0)]))
        #expect(events.map(\.letter) == ["S", "D", "S"])
    }

    @Test("A jump of the position that comes back is no ride", arguments: [4.0, 6, 8], [5.0, 10])
    func jump(metersPerSecond speed: Double, staysForSeconds seconds: Double) {
        let events = events(
            of: track([(600, 0, 0), (5, speed, 0), (seconds, 0, 0), (5, speed, 180), (600, 0, 0)]))
        #expect(Set(events.map(\.letter)) == ["S"])
    }

    @Test("A jump of the position that drifts back is no trip", arguments: [40.0, 60, 80])
    func drift(meters: Double) {
        let events = events(
            of: track([
                (600, 0, 0), (5, meters / 5, 0), (5, meters / 10, 180), (20, meters / 100, 180),
                (60, meters / 200, 180),
                (600, 0, 0),
            ]))
        #expect(Set(events.map(\.letter)) == ["S"])
    }

    @Test("A dash across the street is no ride")
    func dash() {
        let events = events(of: track([(200, 1.3, 0), (5, 4.5, 0), (200, 1.3, 0)]))
        #expect(events.map(\.letter) == ["W"])
    }

    @Test("Who has stood for half of the interval as the recording ends has arrived, who stands at a light has not")
    func arrivesAtTheEnd() {
        let drive = [(300.0, 0.0, 0.0), (200, 10, 90)]
        let arrived = track(drive + [(80, 0, 0)])
        #expect(events(of: arrived, endsRecording: true).map(\.letter) == ["S", "D", "S"])
        #expect(events(of: arrived).map(\.letter) == ["S", "D"])
        #expect(events(of: track(drive + [(40, 0, 0)]), endsRecording: true).map(\.letter) == ["S", "D"])
    }

    @Test("The figures are the program's: they are not saved, and count")
    func figures() throws {
        var configuration = TrackingConfiguration()
        configuration.modelParameters.movement.cyclingChangeMetersPerSecond *= 2
        configuration.modelParameters.timeline.rideMetersPerSecond = 100
        #expect(configuration != TrackingConfiguration())
        let read = try JSONDecoder().decode(
            TrackingConfiguration.self, from: JSONEncoder().encode(configuration))
        #expect(read == TrackingConfiguration())

        let moved = track([(600, 0, 0), (10, 4.5, 90), (600, 0, 0)])
        var tracker = Tracker(configuration: configuration)
        #expect(tracker.timeline(from: moved.fixes).latest.map(\.letter) != events(of: moved).map(\.letter))
    }
}
