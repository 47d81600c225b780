import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// Segmentation of a trip at the departure and where a person gets out of the vehicle.
@Suite("Departures and segments")
struct SegmentDistanceTests {
    private func events(of track: Track) -> [TimelineEvent] { track.fixes.timeline().latest }

    @Test("A person who leaves the vehicle and returns to it was on foot in between", arguments: [1.0, 5])
    func outing(interval: Double) throws {
        var leave: Timestamp?
        var back: Timestamp?
        let track = Track.drive(metersPerSecond: 10, every: interval) { track in
            leave = track.now
            track.stand(seconds: 15, every: interval)
            track.go(seconds: 15, metersPerSecond: 1.4, headingDegrees: 0, every: interval)
            track.stand(seconds: 10, every: interval)
            track.go(seconds: 15, metersPerSecond: 1.4, headingDegrees: 180, every: interval)
            track.stand(seconds: 10, every: interval)
            back = track.now
        }
        let events = events(of: track)
        #expect(events.map(\.letter) == ["S", "D", "W", "D", "S"])
        let walk = try #require(events.first { $0.letter == "W" })
        #expect(abs(walk.start.seconds(since: try #require(leave))) <= 10)
        #expect(abs(try #require(walk.end).seconds(since: try #require(back))) <= 15)
        guard case .transport(let transport) = walk.kind else { return }
        #expect(abs(transport.distanceMeters - 42) < 15)
    }

    @Test(
        "Parking, a walk to a shop, a wait there and the walk back are a stop", arguments: [150.0, 200, 250],
        [25.0, 40, 60])
    func shop(stays seconds: Double, walks: Double) {
        let track = Track.drive(metersPerSecond: 10) { track in
            track.stand(seconds: 15)
            track.go(seconds: walks, metersPerSecond: 1.3, headingDegrees: 0)
            track.stand(seconds: seconds)
            track.go(seconds: walks, metersPerSecond: 1.3, headingDegrees: 180)
            track.stand(seconds: 10)
        }
        #expect(events(of: track).map(\.letter) == ["S", "D", "W", "S", "W", "D", "S"])
    }

    @Test("A queue that moves on at walking pace is not a walk")
    func queue() {
        let track = Track.drive(metersPerSecond: 10) { track in
            for _ in 0..<2 {
                track.stand(seconds: 15)
                track.go(seconds: 10, metersPerSecond: 1.3)
            }
            track.stand(seconds: 10)
        }
        #expect(events(of: track).map(\.letter) == ["S", "D", "S"])
    }

    @Test("A wandering position at a crossing is not a walk", arguments: [0.6, 1, 1.5])
    func wandersAtCrossing(metersPerSecond speed: Double) throws {
        var halt: (begin: Timestamp, end: Timestamp)?
        let track = Track.drive(metersPerSecond: 10) { track in
            let begin = track.now
            track.stand(seconds: 20)
            for heading in [0.0, 180, 90, 270] {
                track.go(seconds: 15, metersPerSecond: speed, headingDegrees: heading)
                track.stand(seconds: 10)
            }
            halt = (begin, track.now)
        }
        let (begin, end) = try #require(halt)
        // The Doppler speed shows the halt.
        let fixes = track.fixes.map { fix -> Fix in
            var fix = fix
            if fix.timestamp >= begin, fix.timestamp < end { fix.speedMetersPerSecond = 0 }
            return fix
        }
        let events = fixes.timeline()
        // The halt was long enough to be published before the drive continued.
        #expect(events.count(where: \.isWithdrawn) == 1)
        #expect(events.latest.map(\.letter) == ["S", "D", "S"])
    }

    @Test("A person who is out of the vehicle at the end of the recording is on foot")
    func endsOnFoot() {
        var track = Track()
        track.stand(seconds: 300)
        track.go(seconds: 200, metersPerSecond: 10)
        track.stand(seconds: 15)
        track.go(seconds: 20, metersPerSecond: 1.4, headingDegrees: 0)
        var tracker = Tracker()
        var events = tracker.timeline(from: track.fixes)
        events += tracker.finish(at: track.moment()).compactMap(\.event)
        #expect(events.latest.map(\.letter) == ["S", "D", "W"])
        #expect(events.latest.allSatisfy { !$0.isProvisional })
    }

    @Test("The wait outdoors beside the vehicle belongs to the trip", arguments: [80.0, 150])
    func comesOut(waits seconds: Double) throws {
        var track = Track()
        // Indoors the position wanders slowly around the person.
        for step in 0..<90 {
            track.go(seconds: 10, metersPerSecond: 0, accuracyMeters: 20, reportsSpeed: false)
            track.go(
                seconds: 2, metersPerSecond: 4, headingDegrees: step % 2 == 0 ? 0 : 180, accuracyMeters: 20,
                reportsSpeed: false)
        }
        let out = track.now
        track.go(seconds: 12, metersPerSecond: 1.4)
        track.stand(seconds: seconds)
        track.go(seconds: 200, metersPerSecond: 8)
        let events = events(of: track)
        let start = try #require(events.first { $0.letter != "S" }?.start)
        #expect(abs(start.seconds(since: out)) <= 30, "\(start.seconds(since: out))")
    }

    @Test("A halt of the stationary interval near the beginning of the stop does not belong to the trip")
    func movedWithinThePlace() throws {
        var track = Track()
        track.stand(seconds: 600)
        track.go(seconds: 8, metersPerSecond: 2)
        track.stand(seconds: 200)
        let left = track.now
        track.go(seconds: 200, metersPerSecond: 10)
        let events = events(of: track)
        let start = try #require(events.first { $0.letter == "D" }?.start)
        #expect(abs(start.seconds(since: left)) <= 10, "\(start.seconds(since: left))")
    }

    @Test(
        "A few minutes on foot back to the start are not a trip, nor a stroll that ends some metres from it",
        arguments: [(out: 60.0, back: 60.0, metersPerSecond: 1.3), (80, 30, 0.8)])
    func errand(out: Double, back: Double, metersPerSecond speed: Double) {
        var track = Track()
        track.stand(seconds: 600)
        track.go(seconds: out, metersPerSecond: speed)
        track.stand(seconds: 20)
        track.go(seconds: back, metersPerSecond: speed, headingDegrees: 270)
        track.stand(seconds: 600)
        #expect(Set(events(of: track).map(\.letter)) == ["S"])
    }

    @Test("A walk to the next house is a trip, even if short", arguments: [1.0, 5])
    func nextHouse(interval: Double) throws {
        var track = Track()
        track.stand(seconds: 600, every: interval)
        let left = track.now
        track.go(seconds: 40, metersPerSecond: 1.3, every: interval)
        let arrived = track.now
        track.stand(seconds: 600, every: interval)
        let events = events(of: track)
        #expect(events.map(\.letter) == ["S", "W", "S"])
        let walk = try #require(events.first { $0.letter == "W" })
        #expect(abs(walk.start.seconds(since: left)) <= 15)
        #expect(abs(try #require(walk.end).seconds(since: arrived)) <= 20)
    }

    @Test(
        "A slow roll from one traffic light to the next is one trip, by bicycle or car", arguments: [4.5, 10],
        [1.6, 2.0, 2.4, 2.8, 3.2])
    func twoLights(metersPerSecond speed: Double, rolling: Double) {
        for (light, seconds) in [(50.0, 6.0), (60, 8), (75, 10), (90, 12), (100, 8)] {
            let track = Track.drive(metersPerSecond: speed) { track in
                track.stand(seconds: light)
                track.go(seconds: seconds, metersPerSecond: rolling)
                track.stand(seconds: 80)
            }
            let letters = events(of: track).map(\.letter)
            #expect(letters.count { $0 == "S" } == 2, "\(letters) with \(light) s, \(seconds) s")
            #expect(letters.first == "S" && letters.last == "S")
        }
    }

    @Test("A person in a traffic jam is in a vehicle")
    func standsInTraffic() {
        var track = Track()
        track.stand(seconds: 300)
        track.go(seconds: 200, metersPerSecond: 12)
        track.stand(seconds: 20)
        var tracker = Tracker()
        _ = tracker.timeline(from: track.fixes)
        #expect(tracker.currentLocation(at: track.moment())?.activity.kind == .inVehicle)
    }
}
