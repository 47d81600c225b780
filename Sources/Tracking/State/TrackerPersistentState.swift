import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The part of a tracker's state that every later version of the agent can read.
///
/// A tracker that is made of it continues as after any restart, and learns again only what the last minutes said about
/// the movement. The contract with later versions:
/// - A key keeps its name, its unit and its meaning. Another meaning gets another key.
/// - Every part can be absent. A part that cannot be read counts as absent and does not affect the others.
/// - A reader ignores unknown keys.
public struct TrackerPersistentState: Equatable, Sendable, Codable {
    // Constants without default values: every initializer must mention each.
    let tracking: SavedTrackingState
    let odometer: SavedOdometer?
    /// The last believed fix.
    let lastFix: SavedFix?
    let timeline: SavedTimeline?
    let geofences: SavedGeofenceVisits?
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

extension TrackerPersistentState {
    /// Reads all parts that can be read.
    /// - Throws: `DecodingError` where it is no object.
    public init(from decoder: any Decoder) throws {
        let parts = try decoder.container(keyedBy: CodingKeys.self)
        tracking = (try? parts.decode(SavedTrackingState.self, forKey: .tracking)) ?? .unknown
        odometer = try? parts.decode(SavedOdometer.self, forKey: .odometer)
        lastFix = try? parts.decode(SavedFix.self, forKey: .lastFix)
        timeline = try? parts.decode(SavedTimeline.self, forKey: .timeline)
        geofences = try? parts.decode(SavedGeofenceVisits.self, forKey: .geofences)
        undated = try? parts.decode(UndatedFixQueue.self, forKey: .undated)
    }

    /// The state of a tracker of which only the odometer's reading is known.
    /// - Parameters:
    ///   - odometerMeters: the reading, metres.
    ///   - odometerErrorMeters: its bound, metres, ≥ 0.
    public init(odometerMeters: Double, odometerErrorMeters: Double) {
        let odometer = SavedOdometer(
            meters: odometerMeters, totalMeters: max(odometerMeters, 0),
            randomMeters: odometerErrorMeters / Odometer.boundInStandardErrors, scaleMeters: 0, detourMeters: 0)
        self.init(tracking: .unknown, odometer: odometer, lastFix: nil, timeline: nil, geofences: nil, undated: nil)
    }

    /// The state of a tracker of which nothing is known.
    static let unknown = TrackerPersistentState(
        tracking: .unknown, odometer: nil, lastFix: nil, timeline: nil, geofences: nil, undated: nil)
}

/// Whether the vehicle is tracked, and how.
struct SavedTrackingState: Equatable, Sendable, Codable {
    /// By configuration; absent: yes.
    let isEnabled: Bool?
    /// By schedule: `stop`, `tag` or `private`; absent: the schedule is open.
    let offSchedule: OffScheduleRule.Mode?
    let tag: String?
    let owesOpening: Bool?
    /// Absent: unknown.
    let isMoving: Bool?
    /// The anchor of a parked vehicle.
    let parked: SavedCoordinate?
    /// The machine's name for its boot.
    let boot: String?
    /// A time of this boot that the machine's clock confirmed…
    let confirmed: Timestamp?
    /// …and the monotonic clock at that time, milliseconds.
    let confirmedUptime: Int64?

    static let unknown = SavedTrackingState(
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
}

/// A position: degrees north and east.
struct SavedCoordinate: Equatable, Sendable, Codable {
    var latitude: Double
    var longitude: Double

    init(_ coordinate: Coordinate) {
        latitude = coordinate.latitudeDegrees
        longitude = coordinate.longitudeDegrees
    }

    /// Nil for an invalid position.
    var coordinate: Coordinate? { Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) }
}

/// A fix, with the names and units of the wire format.
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
    /// When the agent received it, by the machine's clock.
    var received: Timestamp
    /// Whether that clock was trusted.
    var isTrusted: Bool?
    /// When the agent received it by the monotonic clock, milliseconds since the machine's start.
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
