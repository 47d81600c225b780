import CivilTime
import Geodesy
import OdographModel

/// What must not get lost of a tracker's state, in a form that every later version of the agent can read.
///
/// The state itself changes with the program. These are the odometer, the event of the timeline that lasts, the schedule's
/// state, the last position and the visits to geofences: a tracker that is made of them goes on as after any restart, and
/// has to learn again only what the last minutes said of the movement.
///
/// What is promised to later versions:
/// - A key keeps its name, its unit and its meaning for ever. What is said in another way gets another key.
/// - Every part can be absent, and one that cannot be read counts as absent and leaves the others as they are.
/// - What is not known is left out by whoever reads.
public struct TrackerPersistentState: Equatable, Sendable, Codable {
    var tracking = SavedTrackingState()
    var odometer: SavedOdometer?
    /// The last fix that was believed.
    var lastFix: SavedFix?
    var timeline: SavedTimeline?
    var geofences: SavedGeofenceVisits?
    /// Positions that wait for their date.
    var undated: UndatedFixQueue?

    private enum CodingKeys: String, CodingKey {
        case tracking, odometer
        case lastFix = "last_fix"
        case timeline, geofences, undated
    }

    /// What can be said of a tracker of which no more is known than what its odometer showed.
    /// - Parameters:
    ///   - odometerMeters: what it showed, metres.
    ///   - odometerErrorMeters: the bound of that, metres, ≥ 0.
    public init(odometerMeters: Double, odometerErrorMeters: Double) {
        odometer = SavedOdometer(
            meters: odometerMeters, totalMeters: max(odometerMeters, 0),
            randomMeters: odometerErrorMeters / Odometer.boundInStandardErrors, scaleMeters: 0, detourMeters: 0)
    }

    init() {}

    /// Takes what can be read of it.
    /// - Throws: `DecodingError` where it is no object.
    public init(from decoder: any Decoder) throws {
        let parts = try decoder.container(keyedBy: CodingKeys.self)
        tracking = (try? parts.decode(SavedTrackingState.self, forKey: .tracking)) ?? SavedTrackingState()
        odometer = try? parts.decode(SavedOdometer.self, forKey: .odometer)
        lastFix = try? parts.decode(SavedFix.self, forKey: .lastFix)
        timeline = try? parts.decode(SavedTimeline.self, forKey: .timeline)
        geofences = try? parts.decode(SavedGeofenceVisits.self, forKey: .geofences)
        undated = try? parts.decode(UndatedFixQueue.self, forKey: .undated)
    }

    /// Whether the odometer's reading is known.
    public var hasOdometer: Bool { odometer != nil }
}

/// Whether, and how, the vehicle is tracked.
struct SavedTrackingState: Equatable, Sendable, Codable {
    /// By configuration; absent: it is.
    var isEnabled: Bool?
    /// By schedule: `stop`, `tag` or `private`; absent: the schedule is open.
    var offSchedule: OffScheduleRule.Mode?
    var tag: String?
    var owesOpening: Bool?
    /// Absent: nobody knows whether it moves.
    var isMoving: Bool?
    /// The anchor of a parked vehicle.
    var parked: SavedCoordinate?
    /// The machine's name for its boot.
    var boot: String?
    /// A time of this boot that the machine's clock confirmed, and the monotonic clock then, milliseconds.
    var confirmed: Timestamp?
    var confirmedUptime: Int64?

    private enum CodingKeys: String, CodingKey {
        case isEnabled = "is_enabled"
        case offSchedule = "off_schedule"
        case tag
        case owesOpening = "owes_opening"
        case isMoving = "is_moving"
        case parked, boot, confirmed
        case confirmedUptime = "confirmed_uptime"
    }
}

/// A place: degrees north and east.
struct SavedCoordinate: Equatable, Sendable, Codable {
    var latitude: Double
    var longitude: Double

    init(_ coordinate: Coordinate) {
        latitude = coordinate.latitudeDegrees
        longitude = coordinate.longitudeDegrees
    }

    /// Nil where there is no such place.
    var coordinate: Coordinate? { Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) }
}

/// A fix, by the wire's words and units.
struct SavedFix: Equatable, Sendable, Codable {
    var timestamp: Timestamp
    var place: SavedCoordinate
    /// 95 % radius, metres.
    var accuracy: Double?
    /// m/s.
    var speed: Double?
    /// Degrees from true north.
    var heading: Double?
    /// Metres above the sea.
    var altitude: Double?
    var isMock: Bool?
    /// When the agent had it, by the machine's clock, and whether that is to be trusted…
    var received: Timestamp
    var isTrusted: Bool?
    /// …and by the monotonic one, milliseconds since the machine's start.
    var uptime: Int64

    private enum CodingKeys: String, CodingKey {
        case timestamp, place, accuracy, speed, heading, altitude
        case isMock = "mock"
        case received
        case isTrusted = "clock_trusted"
        case uptime
    }

    init(_ fix: Fix) {
        timestamp = fix.timestamp
        place = SavedCoordinate(fix.coordinate)
        accuracy = fix.accuracyMeters
        speed = fix.speedMetersPerSecond
        heading = fix.headingDegrees
        altitude = fix.altitudeMeters
        isMock = fix.isMock ? true : nil
        received = fix.received.systemTime
        isTrusted = fix.received.isSystemTimeTrusted ? true : nil
        uptime = fix.received.uptimeMilliseconds
    }

    /// Nil where its place is none.
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
