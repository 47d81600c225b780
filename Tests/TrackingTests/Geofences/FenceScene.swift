import OdographCivilTime
import OdographGeodesy
import OdographHarness

@testable import OdographTracking
import OdographModel

/// A geofence with a radius of 50 m, and a monitor. A drawing has a letter for each position: `i` inside, `n` near
/// outside, `.` far outside to the west, `e` far outside to the east; `-` is a second without a fix, `g` a minute.
struct FenceScene {
    static let center = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) ?? .gulf
    static let start = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
    static let radiusMeters = 50.0

    var monitor = GeofenceMonitor()
    var rule = GeofenceRule()
    var interval = 1.0
    private(set) var seconds = 0.0
    private(set) var events: [GeofenceEvent] = []

    init(rule: GeofenceRule = GeofenceRule()) {
        self.rule = rule
        _ = monitor.replace(with: Self.set(rule: rule), zone: .utc, at: Self.start)
    }

    static func circle(radiusMeters: Double = radiusMeters, at center: Coordinate = center) -> Shape {
        // The radius is valid.
        (try? Circle(center: center, radiusMeters: radiusMeters)).map(Shape.circle) ?? .gulf
    }

    static func set(rule: GeofenceRule = GeofenceRule(), radiusMeters: Double = radiusMeters) -> GeofenceSet {
        GeofenceSet([Geofence(identifier: "yard", shape: circle(radiusMeters: radiusMeters), rule: rule)])
    }

    static func place(metersEast: Double) -> Coordinate {
        center.destination(headingDegrees: 90, distanceMeters: metersEast)
    }

    var now: Timestamp { Self.start.advanced(bySeconds: seconds) }

    /// Shows the positions of a drawing to the monitor.
    mutating func play(_ drawing: some StringProtocol) {
        for letter in drawing {
            switch letter {
            case "i": show(metersEast: 0)
            case "n": show(metersEast: -60)
            case ".": show(metersEast: -150)
            case "e": show(metersEast: 150)
            case "g": wait(60)
            default: wait(interval)
            }
        }
    }

    mutating func show(metersEast: Double, speed: Double? = nil, accuracyMeters: Double = 4, stand: Double? = nil) {
        show(Self.place(metersEast: metersEast), speed: speed, accuracyMeters: accuracyMeters, stand: stand)
    }

    mutating func show(
        _ place: Coordinate, speed: Double? = nil, accuracyMeters: Double = 4, stand: Double? = nil,
        isContinuous: Bool = true
    ) {
        fallDue()
        let fix = Fix(
            timestamp: now, received: ClockReading(replayed: now), coordinate: place, accuracyMeters: accuracyMeters,
            speedMetersPerSecond: speed)
        monitor.process(
            GeofencePosition(fix, stationaryCoordinate: stand.map { Self.place(metersEast: $0) }),
            isContinuous: isContinuous)
        events += monitor.context.events.take()
        wait(interval)
    }

    mutating func wait(_ seconds: Double) { self.seconds += seconds }

    mutating func fallDue() {
        while let due = monitor.due, due <= now {
            monitor.processDeadlines(at: due)
            events += monitor.context.events.take()
        }
    }

    mutating func replace(with set: GeofenceSet) {
        events += monitor.replace(with: set, zone: .utc, at: now)
    }

    mutating func forget() { events = [] }

    /// The events: the action, the second of the last letter at or after the event, and flags.
    var drawn: String {
        events.map { event in
            let at = Int(event.occurredAt.seconds(since: Self.start).rounded(.up))
            let flags = [event.isInitial ? "initial" : nil, event.reason?.rawValue].compactMap { $0 }
            return "\(event.action.rawValue)@\(at)" + (flags.isEmpty ? "" : "(\(flags.joined(separator: ",")))")
        }.joined(separator: " ")
    }
}

extension Shape {
    /// A circle at 0/0, for a literal that cannot fail.
    static let gulf = (try? Circle(center: .gulf, radiusMeters: 1)).map(Shape.circle).unsafelyUnwrapped
}
