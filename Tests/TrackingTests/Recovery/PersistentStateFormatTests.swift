import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographModel
import Testing

@testable import OdographTracking

/// The data on the disks of vehicles. Never change these literals: they must stay readable. Add another literal if a
/// later version writes another format.
@Suite("The format of the saved state and inputs")
struct PersistentStateFormatTests {
    private static let moment = ClockReading(
        systemTime: Timestamp(millisecondsSinceEpoch: 1_795_255_200_500), uptimeMilliseconds: 3_620_000,
        isSystemTimeTrusted: true)

    private static let fix = Fix(
        timestamp: Timestamp(millisecondsSinceEpoch: 1_795_255_200_000), received: moment,
        coordinate: Coordinate(latitudeDegrees: 48.2012345, longitudeDegrees: -16.37) ?? .gulf, accuracyMeters: 4.5,
        speedMetersPerSecond: 0.25, speedAccuracyMetersPerSecond: 1.0 / 3, headingDegrees: 271.5, altitudeMeters: 180,
        ellipsoidalAltitudeMeters: 224.125, isMock: true)

    /// Every kind of input, with its bytes in a journal.
    private static let inputs: [(TrackerInput, String)] = [
        (
            .fix(fix),
            "01ff0180a4e3d8bf68e807c0f2b90307f2b2d7cb0303e3ff0103a84603f4030f555555555555d53f0398922100e80203faad1b"
        ),
        (.tick(moment), "0201e8abe3d8bf68c0f2b903"),
        (.source(.noFix, at: moment), "0301e8abe3d8bf68c0f2b90301"),
        (.battery(Battery(level: 0.5, isCharging: true), at: moment), "0401e8abe3d8bf68c0f2b90303e80701"),
        (.battery(nil, at: moment), "0501e8abe3d8bf68c0f2b903"),
        (.started(at: moment), "0601e8abe3d8bf68c0f2b903"),
        (.odometer(meters: -12.5, at: moment), "0701e8abe3d8bf68c0f2b90303a7c301"),
        (
            .undated(ReceivedFix(fix, hasReceiverDate: true)),
            "08ff0380a4e3d8bf68e807c0f2b90307f2b2d7cb0303e3ff0103a84603f4030f555555555555d53f0398922100e80203faad1b"
        ),
    ]

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }

    @Test("The journal of version 0.1.0 is readable")
    func journal() throws {
        for (input, text) in Self.inputs { #expect(try InputJournal.inputs(in: Self.bytes(text)) == [input]) }
        // Ordinal 70, 1234.5 m ± 6.7 m.
        let entry = try InputJournalEntry(bytes: Self.bytes("8c01f2c00186010201e8abe3d8bf68c0f2b903"))
        #expect(entry.sourceOrdinal == 70 && entry.odometerMeters == 1234.5 && entry.odometerErrorMeters == 6.7)
        #expect(entry.inputs.readable == [.tick(Self.moment)] && entry.inputs.areComplete)
    }

    /// All keys.
    private static let essentials = """
        {"tracking": {"is_enabled": false, "off_schedule": "tag", "tag": "night", "owes_opening": true, "is_moving": false,
            "parked": {"latitude": 48.2, "longitude": 16.37}, "boot": "4c7a", "confirmed": "2026-11-21T09:00:00.000Z",
            "confirmed_uptime": 20000},
         "odometer": {"meters": 1234.5, "total": 2234.5, "random_error": 3, "scale_error": 2, "detour_error": 6,
            "standing": {"latitude": 48.2, "longitude": 16.37}},
         "last_fix": {"timestamp": "2026-11-21T10:00:00.000Z", "place": {"latitude": 48.2012345, "longitude": -16.37},
            "accuracy": 4.5, "speed": 0.25, "heading": 271.5, "altitude": 180, "mock": true,
            "received": "2026-11-21T10:00:00.500Z", "clock_trusted": true, "uptime": 3620000},
         "timeline": {
            "event": {"event_id": "d51bbb58-033e-8d72-b666-b77f31846a8d", "revision": 3, "type": "STATIONARY",
                "start_date": "2026-11-21T09:30:00.000Z", "start_meters": 2000, "carrier": "foot", "came_by": "vehicle",
                "rail_seconds": 1.5, "fast_seconds": 2.5, "decided": "2026-11-21T09:40:00.000Z", "doubted": true,
                "indoors": {"latitude": 48.3, "longitude": 16.4}},
            "ended": {"event": {"event_id": "d51bbb58-033e-8d72-b666-b77f31846a8c", "revision": 9,
                "type": "IN_TRANSPORT", "start_date": "2026-11-21T09:00:00.000Z", "start_meters": 900,
                "carrier": "vehicle"},
                "end": "2026-11-21T09:30:00.000Z", "meters": 2000,
                "stay": {"place": {"latitude": 48.4, "longitude": 16.37}, "since": "2026-11-21T08:30:01.000Z",
                    "newest": "2026-11-21T09:00:00.000Z", "spread": 3.5, "weight": 21},
                "way": [[1795251600000, 48.1, 16.37, 4.5, 12], [1795252500000, 48.2, 16.37, -1, -1]],
                "way_settled": 2},
            "seen": {"timestamp": "2026-11-21T09:59:00.000Z", "place": {"latitude": 48.2, "longitude": 16.37},
                "received": "2026-11-21T09:59:00.500Z", "uptime": 3560000},
            "unseen": false, "seen_at": "2026-11-21T09:59:01.000Z", "absence": "source_lost",
            "paused_until": "2026-11-21T08:00:00.000Z", "last_update": "2026-11-21T09:59:30.000Z",
            "stay": {"place": {"latitude": 48.2, "longitude": 16.37}, "since": "2026-11-21T09:30:01.000Z",
                "newest": "2026-11-21T09:59:00.000Z", "spread": 2.5, "weight": 321},
            "venue": "depot", "left": {"latitude": 48.1, "longitude": 16.3}, "last_wheels": "bicycle",
            "way": [[1795252500000, 48.2, 16.37, 4.5, 12], [1795252560000, 48.21, 16.37, -1, -1]], "way_settled": 1,
            "told_since": "2026-11-20T09:00:00.000Z", "told_from": "2027-11-20T09:00:00.000Z",
            "told_to": "2027-11-20T10:00:00.000Z",
            "leap": {"event_id": "d51bbb58-033e-8d72-b666-b77f31846a8e", "revision": 2, "type": "OFF_THE_GRID",
                "reason": "no_fix", "start_date": "2020-01-01T00:00:00.000Z", "start_meters": 0},
            "leap_end": "2026-01-01T00:00:00.000Z"},
         "geofences": {"identity": 17446744073709551615, "visits": [
            {"identifier": "depot", "shape": 16446744073709551615, "entered": "2026-11-21T09:30:02.000Z", "initial": true,
                "left": "2026-11-21T09:58:00.000Z", "dwell_due": "2026-11-21T11:00:00.000Z", "closed": true,
                "window_change": "2026-11-21T12:00:00.000Z", "speed_limit": 8.5}]},
         "undated": {"journal": [8, 255, 3, 128, 164, 227, 216, 191, 104, 232, 7, 192, 242, 185, 3, 7, 242, 178, 215, 203,
            3, 3, 227, 255, 1, 3, 168, 70, 3, 244, 3, 15, 85, 85, 85, 85, 85, 85, 213, 63, 3, 152, 146, 33, 0, 232, 2, 3,
            250, 173, 27], "spacing": 1000}}
        """

    /// The same, of a trip whose departure from a stop is tentative.
    private static let tentative = essentials.split(separator: "IN_TRANSPORT", maxSplits: 1).joined(separator: "x")
        .split(separator: "STATIONARY", maxSplits: 1).joined(separator: "IN_TRANSPORT")
        .split(separator: "\"x\"", maxSplits: 1).joined(separator: "\"STATIONARY\"")

    private static func recovered(_ text: String) throws -> Tracker {
        let former = try JSONDecoder().decode(FormerTrackerState.self, from: Data(text.utf8))
        return Tracker(recovering: former, configuration: TrackingConfiguration(), seed: (1, 2))
    }

    @Test("The persistent state of version 0.1.0 is readable")
    func essentials() throws {
        let tracker = try Self.recovered(Self.essentials)
        #expect(!tracker.configuration.isEnabled && tracker.agent.boot == "4c7a" && tracker.agent.owesOpening)
        #expect(tracker.schedule == .closed(OffScheduleRule(mode: .tag, tag: "night")))
        #expect(!tracker.isMoving && tracker.requiredFixRate == .reduced)
        #expect(tracker.recent.filter.reference?.received.uptimeMilliseconds == 20_000)
        #expect(tracker.odometerMeters == 1234.5 && abs(tracker.odometerErrorMeters - 1.96 * 7) < 1e-9)
        #expect(tracker.odometer.totalMeters == 2234.5)
        #expect(tracker.odometer.stationaryCenter?.coordinate.latitudeDegrees == 48.2)
        var fix = Self.fix
        (fix.speedAccuracyMetersPerSecond, fix.ellipsoidalAltitudeMeters) = (nil, nil)
        #expect(tracker.lastFix == fix)
        let events = tracker.timeline.events
        let event = try #require(events.open)
        let stop = try #require(event.stop)
        #expect(event.id.description == "d51bbb58-033e-8d72-b666-b77f31846a8d" && event.revision == 3)
        #expect(event.isStationary && event.start == Timestamp(iso8601: "2026-11-21T09:30:00Z"))
        #expect(event.startMeters == 2000 && stop.formerMotion.mode == .foot && stop.arrivalMode == .vehicle)
        #expect(stop.formerMotion.aboveRoadSpeedSeconds == 1.5 && stop.formerMotion.aboveCyclingSpeedSeconds == 2.5)
        #expect(event.settledUntil == Timestamp(iso8601: "2026-11-21T09:40:00Z"))
        #expect(stop.center?.spreadMeters == 2.5 && stop.center?.weightSum == 321)
        let ended = try #require(events.ended)
        #expect(ended.event.id.description == "d51bbb58-033e-8d72-b666-b77f31846a8c" && ended.event.revision == 9)
        #expect(ended.event.trip?.motion.mode == .vehicle && ended.event.settledUntil == ended.event.start)
        #expect(ended.end == Timestamp(iso8601: "2026-11-21T09:30:00Z") && ended.endMeters == 2000)
        #expect(ended.polyline.points.map(\.speedMetersPerSecond) == [12, nil] && ended.polyline.simplifiedCount == 2)
        #expect(events.lastFix?.timestamp == Timestamp(iso8601: "2026-11-21T09:59:00Z"))
        #expect(
            events.lastTime == Timestamp(iso8601: "2026-11-21T09:59:01Z") && events.gapEvidence.reason == .sourceLost)
        #expect(events.gapEvidence.downtime?.end == Timestamp(iso8601: "2026-11-21T08:00:00Z"))
        #expect(events.emitter.lastUpdate == Timestamp(iso8601: "2026-11-21T09:59:30Z"))
        #expect(tracker.recent.venue == "depot" && events.lastVehicleMode == .bicycle && events.emitter.tag == "night")
        #expect(
            events.polyline.points.map(\.speedMetersPerSecond) == [12, nil] && events.polyline.simplifiedCount == 1)
        #expect(events.publishedSince == Timestamp(iso8601: "2026-11-20T09:00:00Z"))
        let published = tracker.timeline.published
        #expect(published.upcoming?.end == Timestamp(iso8601: "2027-11-20T10:00:00Z"))
        #expect(published.clockJump?.event.phase == .offTheGrid(.noFix))
        #expect(published.clockJump?.end == Timestamp(iso8601: "2026-01-01T00:00:00Z"))
        #expect(tracker.geofenceIdentity == 17_446_744_073_709_551_615)
        let state = try #require(tracker.geofences.savedStates.first)
        #expect(state.identifier == "depot" && state.shape == 16_446_744_073_709_551_615)
        let visit = try #require(state.phase.visit)
        #expect(visit.entry.time == Timestamp(iso8601: "2026-11-21T09:30:02Z") && visit.entry.isInitial)
        #expect(visit.exit?.time == Timestamp(iso8601: "2026-11-21T09:58:00Z") && visit.departure != nil)
        #expect(visit.dwell.due == Timestamp(iso8601: "2026-11-21T11:00:00Z") && !visit.window.isOpen)
        #expect(visit.window.nextChange == Timestamp(iso8601: "2026-11-21T12:00:00Z"))
        #expect(visit.overspeed?.limitMetersPerSecond == 8.5)
        #expect(tracker.recent.undated.fixes == [ReceivedFix(Self.fix, hasReceiverDate: true)])
    }

    @Test("A trip whose departure is tentative is read, with the stop that it left")
    func tentativeDeparture() throws {
        let tracker = try Self.recovered(Self.tentative)
        let events = tracker.timeline.events
        let trip = try #require(events.open?.trip)
        #expect(trip.motion.mode == .foot && trip.arrivalMode == .vehicle)
        #expect(trip.motion.aboveRoadSpeedSeconds == 1.5 && trip.motion.aboveCyclingSpeedSeconds == 2.5)
        #expect(trip.departurePlace?.latitudeDegrees == 48.1)
        let ended = try #require(events.ended)
        #expect(ended.departure?.indoorPosition?.latitudeDegrees == 48.3)
        #expect(ended.event.isStationary && ended.event.stop?.center?.coordinate.latitudeDegrees == 48.4)
        #expect(ended.event.stop?.center?.weightSum == 21)
    }

    @Test("A trip that was tentative in the state, and is certain by the last records, ends in a gap")
    func certainDeparture() throws {
        var tracker = try Self.recovered(
            Self.tentative.split(separator: "\"is_enabled\": false, ", maxSplits: 1).joined())
        let open = try #require(tracker.timeline.events.open)
        let trip = TimelineTransport(mode: .walking, distanceMeters: 10, waypoints: [])
        let last = TimelineEvent(
            id: open.id, revision: 9, isProvisional: true, kind: .transport(trip), start: open.start, end: nil,
            lastUpdate: Self.moment.systemTime, tag: nil)
        _ = tracker.resume(after: [last], lastUpdate: last.lastUpdate, quality: .approximate, seed: (3, 4))
        #expect(tracker.timeline.events.ended == nil)
        let later = ClockReading(
            systemTime: Self.moment.systemTime.advanced(bySeconds: 3600), uptimeMilliseconds: 7_220_000,
            isSystemTimeTrusted: true)
        _ = tracker.handle(.tick(later))
        #expect(tracker.timeline.events.open?.phase == .offTheGrid(.sourceLost))
    }

    @Test("Unreadable parts and unknown keys do not affect the other parts")
    func lenient() throws {
        let text = Self.essentials.split(separator: "\"last_fix\"", maxSplits: 1).joined(
            separator: "\"mood\": 7, \"last_fix\"")
        #expect(try Self.recovered(text) == Self.recovered(Self.essentials))
        let damaged = Self.essentials.split(separator: "\"STATIONARY\"", maxSplits: 1).joined(separator: "[]")
        let tracker = try Self.recovered(damaged)
        #expect(
            tracker.timeline.events.open == nil && tracker.odometerMeters == 1234.5
                && tracker.schedule.rule?.mode == .tag)
        #expect(try Self.recovered("{}") == Tracker(seed: (1, 2)))
    }
}
