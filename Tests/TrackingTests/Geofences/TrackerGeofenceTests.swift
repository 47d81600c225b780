import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The tracker with geofences")
struct TrackerGeofenceTests {
    private static let privately = ScheduleGate.State.closed(OffScheduleRule(mode: .private, tag: "private"))

    /// Returns a tracker with one geofence around the beginning of a track.
    private func tracker(_ track: Track, rule: GeofenceRule = GeofenceRule()) -> Tracker {
        let fence = Geofence(
            identifier: "secret-yard", shape: FenceScene.circle(radiusMeters: 100, at: track.end), rule: rule)
        return Tracker(geofences: GeofenceSet([fence]), zone: .utc)
    }

    @Test("A geofence event is a location record at the fix that confirmed it")
    func record() throws {
        var track = Track()
        var tracker = tracker(track)
        track.stand(seconds: 10)
        let found = try #require(tracker.locations(from: track.fixes).first { $0.geofence != nil })
        #expect(found.cause == .geofence)
        #expect(found.geofence?.identifier == "secret-yard")
        #expect(found.geofence?.isInitial == true)
        #expect(found.fix.timestamp == found.geofence?.confirmedAt)
        #expect(tracker.geofencesInside.identifiers == ["secret-yard"])
    }

    @Test("A wild fix changes nothing")
    func rejected() {
        var track = Track()
        var tracker = tracker(track)
        track.stand(seconds: 30)
        let home = track.end
        for _ in 0..<20 {
            track.add(home.destination(headingDegrees: 10, distanceMeters: 5000), speed: 0)
            track.pause(seconds: 1)
            track.stand(seconds: 2)
        }
        let events = tracker.locations(from: track.fixes).compactMap(\.geofence)
        #expect(events.map(\.action) == [.enter])
    }

    @Test("Private time ends visits, publishes and keeps nothing, and its end starts new visits")
    func privateTime() throws {
        var track = Track()
        var tracker = tracker(track)
        track.stand(seconds: 10)
        _ = tracker.locations(from: track.fixes)
        let begin = track.moment()
        let closing = tracker.handle(.schedule(Self.privately, at: begin)).compactMap(\.geofence)
        #expect(closing.map(\.action) == [.exit])
        #expect(closing.first?.reason == .schedule)

        let taken = track.fixes.count
        track.stand(seconds: 20)
        track.go(seconds: 60, metersPerSecond: 15)
        track.go(seconds: 60, metersPerSecond: 15, headingDegrees: 270)
        let quiet = track.fixes[taken...].flatMap { tracker.handle(.fix($0)) }
        #expect(quiet.compactMap(\.geofence) == [])
        #expect(tracker.geofencesInside.identifiers == [])
        let kept = String(decoding: try JSONEncoder().encode(tracker.withoutPositions()), as: UTF8.self)
        #expect(!kept.contains("secret-yard"))

        _ = tracker.handle(.schedule(.open, at: track.moment()))
        let before = track.fixes.count
        track.stand(seconds: 10)
        let events = track.fixes[before...].flatMap { tracker.handle(.fix($0)) }.compactMap(\.geofence)
        #expect(events.map(\.action) == [.enter])
        #expect(events.first?.isInitial == true)
        #expect(events.first?.reason == .schedule)
    }

    @Test("A stop contains its geofence, and is published again if another set changes it")
    func venue() throws {
        var track = Track()
        let home = track.end
        func fence(_ name: String, _ radius: Double, _ significance: String?) -> Geofence {
            var fence = Geofence(identifier: name, shape: FenceScene.circle(radiusMeters: radius, at: home))
            fence.rule.significance = significance
            return fence
        }
        let town = fence("town", 5000, "TOWN")
        let depot = fence("depot", 200, "DEPOT")
        let bay = fence("bay", 20, nil)
        var tracker = Tracker(geofences: GeofenceSet([town, depot, bay]), zone: .utc)
        track.stand(seconds: 400)
        let stays = tracker.timeline(from: track.fixes).compactMap(\.stay)
        #expect(stays.last?.venue?.identifier == "depot")
        #expect(stays.last?.venue?.significance == "DEPOT")
        let outputs = tracker.replaceGeofences(
            GeofenceSet([town, bay]), zone: .utc, at: track.moment())
        #expect(outputs.compactMap { $0.event?.stay?.venue?.identifier } == ["town"])
        // The same geofence at the same place is not a change.
        let again = tracker.replaceGeofences(
            GeofenceSet([town]), zone: .utc, at: track.moment(after: 1))
        #expect(again.compactMap(\.event) == [])
    }

    @Test("A loaded tracker accepts only the set that belongs to its state")
    func adopting() throws {
        var track = Track()
        var tracker = tracker(track)
        let set = tracker.activeGeofences
        track.stand(seconds: 10)
        _ = tracker.locations(from: track.fixes)
        var loaded = try JSONDecoder().decode(Tracker.self, from: try JSONEncoder().encode(tracker))
        #expect(loaded.geofenceIdentity == set.identity)
        let isOther = loaded.attachGeofences(GeofenceSet(), zone: .utc)
        #expect(!isOther)
        let isSame = loaded.attachGeofences(set, zone: .utc)
        #expect(isSame)
        #expect(loaded == tracker)
    }

    @Test("The identity of a set depends on its content, not on the order")
    func identity() {
        let fences = ["a", "b", "c"].map { Geofence(identifier: $0, shape: FenceScene.circle()) }
        let set = GeofenceSet(fences)
        #expect(set.identity == GeofenceSet(fences.reversed()).identity)
        var other = set
        other.remove("b")
        #expect(other.identity != set.identity)
        other.add(fences[1])
        #expect(other.identity == set.identity)
        var renamed = fences[1]
        renamed.rule.name = "B"
        other.add(renamed)
        #expect(other.identity != set.identity)
        #expect(GeofenceSet().identity == 0)
    }
}

extension TimelineEvent {
    fileprivate var stay: TimelinePlace? {
        if case .stationary(let place) = kind { place } else { nil }
    }
}
