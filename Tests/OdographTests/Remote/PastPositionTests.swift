import OdographCivilTime
import OdographWire
import Testing

@testable import OdographOperator

@Suite("The position of a vehicle at a past time")
struct PastPositionTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)

    private static func point(_ seconds: Double, longitude: Double, odometer: Double? = nil) -> TrackPoint {
        TrackPoint(
            timestamp: start.advanced(bySeconds: seconds), latitude: 0, longitude: longitude, accuracy: 5,
            odometer: odometer)
    }

    private static func event(
        _ from: Double, _ to: Double?, stop: (latitude: Double, longitude: Double)? = nil, isPrivate: Bool = false,
        tag: String? = nil
    ) -> TimelineEventRevision {
        var event = TimelineEventRevision(
            eventID: "e\(from)", uuid: "u\(from)", epoch: 1, seq: 1, revision: 1, isProvisional: to == nil,
            type: stop == nil ? .inTransport : .stationary, startDate: start.advanced(bySeconds: from),
            endDate: to.map { start.advanced(bySeconds: $0) },
            lastUpdateDate: start.advanced(bySeconds: to ?? from), duration: 0)
        if let stop {
            event.location = StopPosition(latitude: stop.latitude, longitude: stop.longitude, accuracy: 12)
            event.venue = Venue(identifier: "depot", name: "Depot", significance: nil)
        } else if !isPrivate {
            event.waypoints = [Waypoint(latitude: 0, longitude: 0, accuracy: 5, timestamp: start, speed: 1)]
        }
        event.isPrivate = isPrivate ? true : nil
        event.tag = tag
        return event
    }

    private static func position(
        at seconds: Double, _ points: [TrackPoint], _ events: [TimelineEventRevision] = []
    ) -> PastPosition {
        PastPosition(of: "van-7", at: start.advanced(bySeconds: seconds), points: points, events: events)
    }

    @Test("Between two records the place is on the line, and the error contains each way of that length")
    func between() throws {
        // 0.001 degrees on the equator are 111 m; the vehicle drove 121 m.
        let points = [
            Self.point(0, longitude: 0, odometer: 1000), Self.point(10, longitude: 0.001, odometer: 1121),
        ]
        for (seconds, longitude) in [(2.5, 0.00025), (5, 0.0005), (9, 0.0009)] {
            let found = Self.position(at: seconds, points)
            let place = try #require(found.place)
            #expect(found.kind == .between && abs(place.longitude - longitude) < 1e-6 && abs(place.latitude) < 1e-9)
            // Half of the way, and the distance to the middle; or what a fast vehicle reaches from the nearer record.
            let nearer = min(seconds, 10 - seconds)
            let expected = 5 + min(60.5 + abs(seconds / 10 - 0.5) * 111.3, nearer * (70 + 11.13))
            #expect(abs((place.errorMeters ?? 0) - expected) < 1)
            #expect(place.ageSeconds == (seconds <= 5 ? -seconds : 10 - seconds))
        }
    }

    @Test("Without an odometer the error is that of a fast vehicle")
    func noOdometer() throws {
        let place = Self.position(at: 5, [Self.point(0, longitude: 0), Self.point(10, longitude: 0.001)]).place
        #expect(abs((place?.errorMeters ?? 0) - 355) < 1)
    }

    @Test("A record of the time is the place itself")
    func exact() {
        let found = Self.position(at: 10, [Self.point(0, longitude: 0), Self.point(10, longitude: 0.001)])
        #expect(found.kind == .record && found.place?.errorMeters == 5 && found.place?.ageSeconds == 0)
    }

    @Test("Records that are far apart give the nearer one, with its age and the way to the other one")
    func nearest() throws {
        let points = [
            Self.point(0, longitude: 0, odometer: 0), Self.point(3600, longitude: 0.001, odometer: 300),
        ]
        let early = try #require(Self.position(at: 1000, points).place)
        #expect(early.longitude == 0 && early.ageSeconds == -1000 && early.errorMeters == 305)
        let late = Self.position(at: 3000, points)
        #expect(late.kind == .nearest && late.place?.longitude == 0.001 && late.place?.ageSeconds == 600)
        #expect(Self.position(at: 5000, points).place?.ageSeconds == -1400)
        #expect(Self.position(at: 5000, []).kind == .unknown)
    }

    @Test("A position of private use tells no place, also if its event has not come or was erased")
    func privatePosition() {
        var last = Self.point(60, longitude: 0.02)
        last.isPrivate = true
        let points = [Self.point(0, longitude: 0), last]
        #expect(Self.position(at: 0, points).kind == .record)
        #expect(Self.position(at: 30, points).place?.longitude == 0)
        for events in [[], [Self.event(-100, nil, stop: (0, 0))]] {
            for seconds in [60.0, 61, 5000] {
                let found = Self.position(at: seconds, points, events)
                #expect(found.kind == .privateUse && found.place == nil, "\(seconds): \(found)")
            }
        }
        // Afterwards it is parked publicly.
        #expect(Self.position(at: 200, points, [Self.event(100, 300, stop: (1, 1))]).kind == .stop)
    }

    @Test("During a stop the place is that of the stop")
    func stop() {
        let points = [Self.point(0, longitude: 1), Self.point(5000, longitude: 1)]
        let found = Self.position(at: 1000, points, [Self.event(0, 4000, stop: (1.5, 2.5))])
        #expect(found.kind == .stop && found.place?.latitude == 1.5 && found.place?.errorMeters == 12)
        #expect(found.place?.name == "Depot" && found.place?.ageSeconds == nil)
        #expect(found.link == "geo:1.50000,2.50000;u=12")
    }

    @Test("A stop that had not ended holds until the last sign of the vehicle, and is its last place after it")
    func lastStop() throws {
        let event = Self.event(0, nil, stop: (1.5, 2.5))
        let points = [Self.point(10, longitude: 2.5), Self.point(3600, longitude: 2.5)].map { point in
            var point = point
            point.latitude = 1.5
            return point
        }
        let during = Self.position(at: 3000, points, [event])
        #expect(during.kind == .stop && during.place?.ageSeconds == nil)
        #expect(Self.position(at: 3600, points, [event]).kind == .stop)
        let after = Self.position(at: 3629, points, [event])
        #expect(after.kind == .lastStop && after.place?.errorMeters == 12 && after.place?.ageSeconds == -29)
        #expect(
            after.text(in: .utc, width: nil).contains("stopped there when it was last heard, 29 s before this time"))
        // A position elsewhere ends it, before the timeline says so.
        let gone = points + [Self.point(3610, longitude: 3)]
        #expect(Self.position(at: 3610, gone, [event]).kind == .record)
        #expect(Self.position(at: 3605, gone, [event]).kind == .between)
        #expect(Self.position(at: 3000, gone, [event]).kind == .stop)
        // A trip that goes on has no such place.
        #expect(Self.position(at: 3629, points, [Self.event(0, nil)]).kind == .nearest)
    }

    @Test("Between two records the error is at most what a fast vehicle reaches from the nearer one")
    func fast() throws {
        // 0.00166 degrees are 185 m, 9 s apart; a second after the first one the place is 20.5 m on.
        let points = [Self.point(0, longitude: 0), Self.point(9, longitude: 0.00166)]
        let place = try #require(Self.position(at: 1, points).place)
        #expect(abs((place.errorMeters ?? 0) - (5 + 70 + 20.5)) < 0.5)
    }

    @Test("An error beyond a hundred kilometres is not told as one", arguments: [(1400.0, true), (1430, false)])
    func unbounded(seconds: Double, isBounded: Bool) {
        let found = Self.position(at: seconds, [Self.point(0, longitude: 1)])
        #expect((found.place?.errorMeters != nil) == isBounded)
        #expect(found.link?.contains(";u=") == isBounded)
        #expect(found.text(in: .utc, width: nil).contains("it can have been far away") != isBounded)
    }

    @Test("A vehicle that the recorder does not know is told apart, with a similar name")
    func unknownVehicle() throws {
        let found = PastPosition(unknown: "van-9", at: Self.start, suggestion: "; did you mean van-7?")
        #expect(found.place == nil && found.link == nil)
        #expect(
            found.text(in: .utc, width: nil).contains("the recorder does not know this vehicle; did you mean van-7?"))
        #expect(try found.json().contains("unknown_vehicle"))
    }

    @Test(
        "Of private use there is no place, and its positions give none to another time",
        arguments: [
            (event(100, 200, isPrivate: true), 150.0, PastPosition.Kind.privateUse),
            (event(100, 200, tag: "private"), 100, .privateUse), (event(100, 200, tag: "private"), 200, .privateUse),
            // It lasts, as far as anybody knows.
            (event(100, nil, isPrivate: true), 5000, .privateUse), (event(100, 200, tag: "private"), 205, .nearest),
            (event(100, 200, tag: "other"), 150, .record),
        ])
    func privacy(event: TimelineEventRevision, seconds: Double, expected: PastPosition.Kind) throws {
        let points = [100.0, 150, 200, 210].map { Self.point($0, longitude: $0 / 1000) }
        let found = Self.position(at: seconds, points, [event])
        #expect(found.kind == expected)
        switch expected {
        case .privateUse:
            #expect(found.place == nil && found.link == nil)
            #expect(try !found.json().contains("0.1"))
            #expect(!found.text(in: .utc, width: nil).contains("geo:"))
        case .nearest: #expect(found.place?.longitude == 0.21)
        default: #expect(found.place?.longitude == 0.15)
        }
    }
}
