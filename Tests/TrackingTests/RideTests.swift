import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographHarness
import Testing

@testable import OdographTracking

/// Short drives between walks, from positions each 5 s without speeds, as on a delivery round.
@Suite("Short drives")
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

    @Test("Half a minute above walking speed is a drive that begins with boarding")
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

    @Test("A receiver that reports nothing while the courier waits at the door hides no walk there and back")
    func silenceAtTheDoor() {
        var round = track([(300, 0, 0), (200, 8, 90), (15, 0, 0), (10, 1, 0), (15, 0, 0)])
        round.pause(seconds: 25)
        for (seconds, speed, heading) in [(10.0, 1.0, 180.0), (15, 0, 0), (200, 8, 90)] {
            round.go(
                seconds: seconds, metersPerSecond: speed, headingDegrees: heading, every: Self.interval,
                accuracyMeters: nil, reportsSpeed: false)
        }
        #expect(events(of: round).map(\.letter) == ["S", "D", "W", "D"])
    }

    @Test("A vehicle that moves by a house or two makes a trip")
    func movedOn() {
        let events = events(of: track([(600, 0, 0), (15, 4.5, 90), (600, 0, 0)]))
        #expect(events.map(\.letter) == ["S", "D", "S"])
    }

    @Test("A position jump and its return are not a drive", arguments: [4.0, 6, 8], [5.0, 10])
    func jump(metersPerSecond speed: Double, staysForSeconds seconds: Double) {
        let events = events(
            of: track([(600, 0, 0), (5, speed, 0), (seconds, 0, 0), (5, speed, 180), (600, 0, 0)]))
        #expect(Set(events.map(\.letter)) == ["S"])
    }

    @Test("A position jump that drifts back is not a trip", arguments: [40.0, 60, 80])
    func drift(meters: Double) {
        let events = events(
            of: track([
                (600, 0, 0), (5, meters / 5, 0), (5, meters / 10, 180), (20, meters / 100, 180),
                (60, meters / 200, 180),
                (600, 0, 0),
            ]))
        #expect(Set(events.map(\.letter)) == ["S"])
    }

    @Test("A dash across the street is not a drive")
    func dash() {
        let events = events(of: track([(200, 1.3, 0), (5, 4.5, 0), (200, 1.3, 0)]))
        #expect(events.map(\.letter) == ["W"])
    }

    @Test("A stop of half the stationary interval at the end of the recording is an arrival, a red light is not")
    func arrivesAtTheEnd() {
        let drive = [(300.0, 0.0, 0.0), (200, 10, 90)]
        let arrived = track(drive + [(80, 0, 0)])
        #expect(events(of: arrived, endsRecording: true).map(\.letter) == ["S", "D", "S"])
        #expect(events(of: arrived).map(\.letter) == ["S", "D"])
        #expect(events(of: track(drive + [(40, 0, 0)]), endsRecording: true).map(\.letter) == ["S", "D"])
    }

    @Test("The model parameters belong to the program: they are not saved, and they count in comparisons")
    func figures() throws {
        var configuration = TrackingConfiguration()
        configuration.modelParameters.movement.cyclingChangeMetersPerSecond *= 2
        configuration.modelParameters.timeline.rideMetersPerSecond = 100
        #expect(configuration != TrackingConfiguration())
        let read = try JSONDecoder().decode(
            TrackingConfiguration.self, from: JSONEncoder().encode(configuration))
        #expect(read == TrackingConfiguration())

        let moved = track([(600, 0, 0), (16, 4.5, 90), (600, 0, 0)])
        var tracker = Tracker(configuration: configuration)
        #expect(tracker.timeline(from: moved.fixes).map(\.lastUpdate) != moved.fixes.timeline().map(\.lastUpdate))
    }
}
