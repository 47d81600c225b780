import FoundationEssentials
import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Geofences and positions that jump")
struct JumpedPlaceTests {
    private static let home = Coordinate(latitudeDegrees: 47, longitudeDegrees: 8) ?? .gulf
    /// 45 km away.
    private static let airport = home.destination(headingDegrees: 42, distanceMeters: 45_000)

    private static func tracker(airport: Coordinate = airport, radiusMeters: Double = 1000) -> Tracker {
        func fence(_ identifier: String, at place: Coordinate, _ meters: Double) -> Geofence {
            Geofence(identifier: identifier, shape: FenceScene.circle(radiusMeters: meters, at: place))
        }
        return Tracker(
            geofences: GeofenceSet([fence("home", at: home, 200), fence("airport", at: airport, radiusMeters)]),
            zone: .utc)
    }

    /// The kinds and places of events.
    private static func names(_ locations: [TrackedLocation]) -> [String] {
        locations.compactMap(\.geofence).map { "\($0.identifier) \($0.action.rawValue)" }
    }

    private static func parked(_ seconds: Double = 1200) -> Track {
        var track = Track(latitudeDegrees: 47, longitudeDegrees: 8)
        track.stand(seconds: seconds)
        return track
    }

    @Test("A receiver that shows an airport for minutes of a drive, standing or driving there, triggers nothing there")
    func drive() {
        for circle in [0.0, 60, 600] {
            for seconds in [3.0, 20, 180, 900] {
                var track = Self.parked()
                track.go(seconds: 600, metersPerSecond: 14)
                var tracker = Self.tracker()
                _ = tracker.locations(from: track.fixes)
                var rest = track
                rest.show(Self.airport, circleMeters: circle, seconds: seconds)
                rest.move(meters: 14 * seconds)
                rest.go(seconds: 600, metersPerSecond: 14)
                rest.stand(seconds: 300)
                var outputs: [TrackerOutput] = []
                for fix in rest.fixes.dropFirst(track.fixes.count) { outputs += tracker.handle(.fix(fix)) }
                #expect(Self.names(outputs.compactMap(\.location)).isEmpty, "\(seconds) s, circle of \(circle) m")
                let venues = outputs.compactMap(\.event).compactMap { event -> String? in
                    guard case .stationary(let place?) = event.kind else { return nil }
                    return place.venue?.identifier
                }
                #expect(!venues.contains("airport"), "\(seconds) s, circle of \(circle) m")
                let (meters, error) = (tracker.odometerMeters, tracker.odometerErrorMeters)
                let truth = 14 * (1200 + seconds)
                #expect(abs(meters - truth) <= error, "\(seconds) s, circle of \(circle) m: \(meters) ± \(error)")
            }
        }
    }

    @Test("A parked vehicle that seems to drive around an airport for half an hour has stayed at home")
    func parked() {
        for circle in [60.0, 600] {
            var track = Self.parked()
            var tracker = Self.tracker()
            let before = tracker.locations(from: track.fixes)
            #expect(Self.names(before) == ["home ENTER"])
            let count = track.fixes.count
            track.show(Self.airport, circleMeters: circle, seconds: 1790)
            var isImplausible = false
            for fix in track.fixes.dropFirst(count) {
                let geofences = tracker.handle(.fix(fix)).compactMap(\.location?.geofence)
                #expect(geofences.isEmpty)
                isImplausible = isImplausible || tracker.isPositionImplausible
                #expect(tracker.geofencesInside.identifiers == ["home"])
            }
            #expect(isImplausible && tracker.odometerErrorMeters >= 25_000)
            let back = track.fixes.count
            track.stand(at: Self.home, seconds: 600)
            let locations = tracker.locations(from: Array(track.fixes.dropFirst(back)))
            let isOver = !tracker.isPositionImplausible
            #expect(Self.names(locations).isEmpty && isOver)
            #expect(tracker.odometerMeters <= tracker.odometerErrorMeters && tracker.odometerMeters < 100)
        }
    }

    @Test("Sparse positions make a jump no movement, although there is time for it in the end")
    func sparse() {
        let place = Self.home.destination(headingDegrees: 42, distanceMeters: 10_000)
        var track = Track(latitudeDegrees: 47, longitudeDegrees: 8)
        track.stand(seconds: 1200, every: 60)
        for _ in 0..<15 {
            track.add(place, speed: 0)
            track.pause(seconds: 60)
        }
        track.stand(seconds: 600, every: 60)
        var tracker = Self.tracker(airport: place)
        let locations = tracker.locations(from: track.fixes)
        #expect(Self.names(locations) == ["home ENTER"])
        #expect(tracker.odometerMeters <= tracker.odometerErrorMeters + 1)
    }

    @Test(
        "A receiver that says that it is jammed needs no movement to show another place",
        arguments: [(60.0, 2000.0), (60, 1200), (10, 600), (1, 500)])
    func jammed(interval: Double, meters: Double) {
        let place = Self.home.destination(headingDegrees: 42, distanceMeters: meters)
        for isJammed in [true, false] {
            var track = Track(latitudeDegrees: 47, longitudeDegrees: 8)
            track.stand(seconds: 1200, every: interval)
            let beginning = track.fixes.count
            // As by a deceiver: the speed is that of a vehicle that stands.
            while track.fixes.count < beginning + Int(1200 / interval) {
                track.add(place, speed: 0)
                track.pause(seconds: interval)
            }
            let end = track.fixes.count
            track.stand(seconds: 600, every: interval)
            var fixes = track.fixes
            if isJammed { for index in beginning..<end { fixes[index].jammingLevel = 128.0 / 255 } }
            var tracker = Self.tracker(airport: place, radiusMeters: 250)
            var (names, isImplausible): ([String], Bool) = ([], false)
            for fix in fixes {
                names += Self.names(tracker.handle(.fix(fix)).compactMap(\.location))
                isImplausible = isImplausible || tracker.isPositionImplausible && tracker.isReceiverJammed
            }
            #expect((names == ["home ENTER"]) == isJammed, "\(names)")
            #expect(isImplausible == isJammed)
            if isJammed { #expect(tracker.odometerMeters <= tracker.odometerErrorMeters + 1) }
        }
    }

    @Test("A place that lasts for more than half an hour is believed, with the time of the jump")
    func lasting() throws {
        var track = Self.parked()
        let jump = track.now
        track.show(Self.airport, circleMeters: 0, seconds: 2400)
        var tracker = Self.tracker()
        let locations = tracker.locations(from: track.fixes)
        #expect(Self.names(locations) == ["home ENTER", "home EXIT", "airport ENTER"])
        for event in locations.compactMap(\.geofence).suffix(2) {
            #expect(event.occurredAt.seconds(since: jump) <= 5 && event.reason == .moved)
            #expect((1790...1830).contains(event.confirmedAt.seconds(since: jump)))
        }
        // A move of 45 km, and none.
        #expect(tracker.odometerErrorMeters >= 45_000)
        #expect(tracker.geofencesInside.identifiers == ["airport"])
    }

    @Test("After a silence that was long enough for the way, the vehicle is believed at once")
    func gaps() throws {
        for seconds in [1500.0, 7200] {
            for isDriving in [false, true] {
                var track = Self.parked()
                if isDriving { track.go(seconds: 300, metersPerSecond: 25) }
                track.pause(seconds: seconds)
                let end = track.now
                track.show(Self.airport, circleMeters: 0, seconds: 300)
                var tracker = Self.tracker()
                let events = tracker.locations(from: track.fixes).compactMap(\.geofence)
                let enter = try #require(events.last)
                #expect(enter.identifier == "airport" && enter.action == .enter)
                #expect(enter.confirmedAt.seconds(since: end) <= 20, "\(seconds) s")
            }
        }
    }

    @Test("A saved state in a doubt goes on as if nothing had happened")
    func saved() throws {
        for isBack in [false, true] {
            var track = Self.parked()
            track.show(Self.airport, circleMeters: 0, seconds: 900)
            var tracker = Self.tracker()
            _ = tracker.locations(from: track.fixes)
            let bytes = try JSONEncoder().encode(tracker)
            var restored = try JSONDecoder().decode(Tracker.self, from: bytes)
            let isAttached = restored.attachGeofences(tracker.activeGeofences, zone: .utc)
            let isEqual = restored == tracker
            #expect(isAttached && isEqual)
            let count = track.fixes.count
            if isBack { track.stand(at: Self.home, seconds: 100) } else { track.stand(at: Self.airport, seconds: 1200) }
            let rest = Array(track.fixes.dropFirst(count))
            let (expected, found) = (tracker.locations(from: rest), restored.locations(from: rest))
            #expect(Self.names(expected) == Self.names(found) && Self.names(found).isEmpty == isBack)
        }
    }

    @Test("Private time, another set and a restart end the visit at the certain place")
    func interruptions() {
        for kind in 0..<3 {
            var track = Self.parked()
            track.show(Self.airport, circleMeters: 0, seconds: 300)
            var tracker = Self.tracker()
            _ = tracker.locations(from: track.fixes)
            let outputs: [TrackerOutput] =
                switch kind {
                case 0: tracker.handle(.schedule(.closed(OffScheduleRule(mode: .private)), at: track.moment()))
                case 1: tracker.replaceGeofences(GeofenceSet([]), zone: .utc, at: track.moment())
                default: tracker.handle(.started(at: track.moment()))
                }
            let names = Self.names(outputs.compactMap(\.location))
            #expect(names == (kind == 2 ? [] : ["home EXIT"]), "\(kind)")
        }
    }
}

extension Track {
    /// Adds fixes of a receiver that shows another place.
    /// - Parameter radius: of the circle that it seems to drive at 14 m/s, metres; 0 for a halt.
    fileprivate mutating func show(_ place: Coordinate, circleMeters radius: Double, seconds: Double) {
        var elapsed = 0.0
        while elapsed < seconds {
            let angle = radius > 0 ? elapsed * 14 / radius * 180 / .pi : 0
            let heading = angle.truncatingRemainder(dividingBy: 360)
            add(
                place.destination(headingDegrees: heading, distanceMeters: radius), speed: radius > 0 ? 14 : 0,
                heading: radius > 0 ? (heading + 90).truncatingRemainder(dividingBy: 360) : nil)
            pause(seconds: 1)
            elapsed += 1
        }
    }

    fileprivate mutating func stand(at place: Coordinate, seconds: Double) {
        show(place, circleMeters: 0, seconds: seconds)
    }
}
