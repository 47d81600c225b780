import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The state of a tracker in the forms before 3, in the terms and units of the wire format.
///
/// A tracker that is made of it continues as after any restart, and learns again only what the last minutes said about
/// the movement. Every part can be absent. A part that cannot be read counts as absent and does not affect the others.
public struct FormerTrackerState: Sendable, Decodable {
    // Constants without default values: every initializer must mention each.
    let tracking: FormerTrackingState
    let odometer: FormerOdometer?
    /// The last believed fix.
    let lastFix: FormerFix?
    let timeline: FormerTimeline?
    let geofences: FormerGeofenceVisits?
    /// The positions that wait for their date.
    let undated: UndatedFixQueue?

    private enum CodingKeys: String, CodingKey {
        case tracking, odometer
        case lastFix = "last_fix"
        case timeline, geofences, undated
    }

    /// Whether the odometer's reading is known.
    public var hasOdometer: Bool { odometer != nil }
}

extension FormerTrackerState {
    /// Reads all parts that can be read.
    /// - Throws: `DecodingError` where it is no object.
    public init(from decoder: any Decoder) throws {
        let parts = try decoder.container(keyedBy: CodingKeys.self)
        tracking = (try? parts.decode(FormerTrackingState.self, forKey: .tracking)) ?? .unknown
        odometer = try? parts.decode(FormerOdometer.self, forKey: .odometer)
        lastFix = try? parts.decode(FormerFix.self, forKey: .lastFix)
        timeline = try? parts.decode(FormerTimeline.self, forKey: .timeline)
        geofences = try? parts.decode(FormerGeofenceVisits.self, forKey: .geofences)
        undated = try? parts.decode(UndatedFixQueue.self, forKey: .undated)
    }

    /// The state of a tracker of which nothing is known.
    static let unknown = FormerTrackerState(
        tracking: .unknown, odometer: nil, lastFix: nil, timeline: nil, geofences: nil, undated: nil)
}

/// Whether the vehicle is tracked, and how.
struct FormerTrackingState: Sendable, Decodable {
    /// By configuration; absent: yes.
    let isEnabled: Bool?
    /// By schedule: `stop`, `tag` or `private`; absent: the schedule is open.
    let offSchedule: OffScheduleRule.Mode?
    let tag: String?
    let owesOpening: Bool?
    /// Absent: unknown.
    let isMoving: Bool?
    /// The anchor of a parked vehicle.
    let parked: FormerCoordinate?
    /// The machine's name for its boot.
    let boot: String?
    /// A time of this boot that the machine's clock confirmed…
    let confirmed: Timestamp?
    /// …and the monotonic clock at that time, milliseconds.
    let confirmedUptime: Int64?

    static let unknown = FormerTrackingState(
        isEnabled: nil, offSchedule: nil, tag: nil, owesOpening: nil, isMoving: nil, parked: nil, boot: nil,
        confirmed: nil, confirmedUptime: nil)

    private enum CodingKeys: String, CodingKey {
        case isEnabled = "is_enabled"
        case offSchedule = "off_schedule"
        case tag
        case owesOpening = "owes_opening"
        case isMoving = "is_moving"
        case parked, boot, confirmed
        case confirmedUptime = "confirmed_uptime"
    }

    var confirmedTime: (time: Timestamp, uptimeMilliseconds: Int64)? {
        guard let confirmed, let confirmedUptime else { return nil }
        return (confirmed, confirmedUptime)
    }
}

/// A position: degrees north and east.
struct FormerCoordinate: Sendable, Decodable {
    let latitude: Double
    let longitude: Double

    private enum CodingKeys: String, CodingKey { case latitude, longitude }

    /// Nil for an invalid position.
    var coordinate: Coordinate? { Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) }
}

/// A fix, with the names and units of the wire format.
struct FormerFix: Sendable, Decodable {
    let timestamp: Timestamp
    let place: FormerCoordinate
    /// 95 % radius, metres.
    let accuracy: Double?
    /// m/s.
    let speed: Double?
    /// Degrees from true north.
    let heading: Double?
    /// Metres above the sea.
    let altitude: Double?
    let isMock: Bool?
    /// When the agent received it, by the machine's clock.
    let received: Timestamp
    /// Whether that clock was trusted.
    let isTrusted: Bool?
    /// When the agent received it by the monotonic clock, milliseconds since the machine's start.
    let uptime: Int64

    private enum CodingKeys: String, CodingKey {
        case timestamp, place, accuracy, speed, heading, altitude
        case isMock = "mock"
        case received
        case isTrusted = "clock_trusted"
        case uptime
    }

    /// Nil for an invalid position.
    var fix: Fix? {
        place.coordinate.map {
            Fix(
                timestamp: timestamp,
                received: ClockReading(
                    systemTime: received, uptimeMilliseconds: uptime, isSystemTimeTrusted: isTrusted == true),
                coordinate: $0, accuracyMeters: accuracy, speedMetersPerSecond: speed, headingDegrees: heading,
                altitudeMeters: altitude, isMock: isMock == true)
        }
    }
}

/// The odometer: metres, and standard errors in metres.
struct FormerOdometer: Sendable, Decodable {
    /// The odometer reading.
    let meters: Double
    /// The distance since the tracker began; setting the odometer does not change it.
    let totalMeters: Double
    /// The random error of the segments.
    let randomMeters: Double
    /// The error that is common to all segments.
    let scaleMeters: Double
    /// The error from road detours.
    let detourMeters: Double
    /// The centre of the current stop.
    let standing: FormerCoordinate?

    private enum CodingKeys: String, CodingKey {
        case meters
        case totalMeters = "total"
        case randomMeters = "random_error"
        case scaleMeters = "scale_error"
        case detourMeters = "detour_error"
        case standing
    }

    /// Creates an odometer that continues from the saved values.
    /// - Parameter last: the last counted fix; nil if it must be forgotten.
    func odometer(after last: Fix?) -> Odometer {
        func distance(_ value: Double) -> Double { ValidRange.distance.clamped(value) ?? 0 }
        var odometer = Odometer(
            meters: distance(meters), totalMeters: distance(totalMeters), randomMeters: distance(randomMeters),
            scaleMeters: distance(scaleMeters), detourMeters: distance(detourMeters), last: standing == nil ? last : nil
        )
        if let place = standing?.coordinate, var last {
            last.coordinate = place
            odometer.advance(to: last)
        }
        return odometer
    }
}

/// The visits to geofences that have not ended.
struct FormerGeofenceVisits: Sendable, Decodable {
    /// The `GeofenceSet.identity` of the geofences' set.
    let identity: UInt64
    let visits: [FormerGeofenceVisit]

    private enum CodingKeys: String, CodingKey { case identity, visits }
}

/// A visit that has not ended.
struct FormerGeofenceVisit: Sendable, Decodable {
    let identifier: String
    /// `ShapeIndex.fingerprint` of the geofence's shape.
    let shape: UInt64
    let entered: Timestamp
    /// Whether the vehicle was found inside.
    let isInitial: Bool?
    /// The time since which the vehicle seems to be outside.
    let left: Timestamp?
    /// When it becomes a dwell; absent where the rule asks for none, or its event was emitted.
    let dwellDue: Timestamp?
    /// Whether the geofence's own schedule is closed, and when that changes.
    let isClosed: Bool?
    let windowChange: Timestamp?
    /// The geofence's speed limit, m/s.
    let speedLimit: Double?

    private enum CodingKeys: String, CodingKey {
        case identifier, shape, entered
        case isInitial = "initial"
        case left
        case dwellDue = "dwell_due"
        case isClosed = "closed"
        case windowChange = "window_change"
        case speedLimit = "speed_limit"
    }

    var geofenceState: SavedGeofenceState {
        let visit = GeofenceVisit(
            entry: GeofenceEntry(time: entered, origin: isInitial == true ? .found(nil) : .crossed),
            window: GeofenceWindow(isOpen: isClosed != true, nextChange: windowChange),
            dwell: DwellTimer(due: dwellDue),
            overspeed: speedLimit.map(OverspeedDetector.init),
            exit: left.map { GeofenceVisit.Exit(time: $0) }, departure: left.map { _ in GeofenceDeparture() })
        return SavedGeofenceState(identifier: identifier, shape: shape, phase: .inside(visit))
    }
}
