import OdographCivilTime
import OdographGeodesy
import OdographModel

/// One revision of one event of the timeline.
///
/// The events of a timeline follow each other without a hole and without an overlap. A trip with several transport
/// modes is a run of transport events that touch each other, one segment for each mode.
public struct TimelineEvent: Hashable, Sendable {
    /// The kind of the event: a stop, a trip, a gap or unknown.
    public enum Kind: Hashable, Sendable {
        /// A stop of at least the stationary interval; a shorter one only where the recording begins or ends. The place
        /// is nil in a private time.
        case stationary(TimelinePlace?)
        /// A trip, or one segment of it.
        case transport(TimelineTransport)
        /// A gap: there were no positions.
        case offTheGrid(OffTheGridReason)
        /// There are positions, but too few to tell a stop from a trip.
        case unknown
    }

    /// The identifier, the same in every revision.
    public var id: TimelineEventID
    /// The number of the revision, from 1.
    public var revision: Int
    /// Whether a later revision can follow. The final one is not provisional.
    public var isProvisional: Bool
    /// The kind of the event: a stop, a trip, a gap or unknown.
    public var kind: Kind
    /// The time of the start itself, not of its detection.
    public var start: Timestamp
    /// The time of the end. Nil while the event lasts. The end of a provisional event can turn out to be none: a halt
    /// is no stop, and a departure may be none.
    public var end: Timestamp?
    /// The tracker's time of this revision. It is larger in every later revision of any event.
    public var lastUpdate: Timestamp
    /// The tag of the schedule. Nil for none.
    public var tag: String?
    /// Whether the event turned out to be none, and the one before it goes on. It then has no duration, its kind is
    /// unknown, and this is its final revision.
    public var isWithdrawn: Bool
    /// The distance during a gap. Nil for every other kind, while the gap lasts, and where it is not known.
    public var gapDistance: TimelineGapDistance?
    /// The distance that the odometer counted during an event that is no trip, metres: movements within the place of a
    /// stop, or what is too fast for a trip. Nil for a gap, in a private time, and where it is none.
    public var stopMeters: Double?
    /// The time in which the engine ran at a halt, seconds; nil if it is not known to have done so.
    public var idleSeconds: Double?
    /// The distance over which the vehicle was carried during a trip, as on a ferry or a tow truck, metres; nil if it
    /// was not. The distance of the trip does not contain it.
    public var carriedMeters: Double?
    /// The driving style of a trip; nil for other kinds, before the end is final, and if it is not configured.
    public var driving: DrivingSummary?
    /// The names of the beacons that were aboard for at least half of a trip, ascending; nil for other kinds, before
    /// the end is final, and if no beacon is known.
    public var beacons: [String]?
    /// Whether the event is of private time.
    public package(set) var isOfPrivateTime = false

    /// Creates a value from its properties.
    public init(
        id: TimelineEventID, revision: Int, isProvisional: Bool, kind: Kind, start: Timestamp, end: Timestamp?,
        lastUpdate: Timestamp, tag: String?, isWithdrawn: Bool = false
    ) {
        self.id = id
        self.revision = revision
        self.isProvisional = isProvisional
        self.kind = kind
        self.start = start
        self.end = end
        self.lastUpdate = lastUpdate
        self.tag = tag
        self.isWithdrawn = isWithdrawn
    }

    /// The duration so far, seconds, ≥ 0.
    public var durationSeconds: Double { max((end ?? lastUpdate).seconds(since: start), 0) }

    /// The distance so far, metres, ≥ 0: of a trip, of a gap, or within the place of a stop. The final events of a
    /// time together have the odometer's distance in it, except in private time and where the date was not known.
    public var distanceMeters: Double {
        switch kind {
        case .transport(let transport): transport.distanceMeters
        case .offTheGrid: gapDistance?.meters ?? 0
        case .stationary, .unknown: stopMeters ?? 0
        }
    }
}

extension TimelineEvent: ErasedInPrivateTime {
    func withoutPositions() -> TimelineEvent {
        var event = self
        event.gapDistance = nil
        event.stopMeters = nil
        event.carriedMeters = nil
        event.driving = nil
        event.beacons = nil
        switch kind {
        case .stationary: event.kind = .stationary(nil)
        case .transport(var transport):
            transport.waypoints = []
            event.kind = .transport(transport)
        case .offTheGrid, .unknown: break
        }
        return event
    }
}

/// The place of a stop.
public struct TimelinePlace: Hashable, Sendable {
    /// The robust centre of the stop.
    public var coordinate: Coordinate
    /// The radius around the true place in 95 of 100 cases, metres.
    public var accuracyMeters: Double
    /// The most specific geofence that contains the place. Nil where there is none.
    public var venue: TimelineVenue?

    /// Creates a value from its properties.
    public init(coordinate: Coordinate, accuracyMeters: Double, venue: TimelineVenue? = nil) {
        self.coordinate = coordinate
        self.accuracyMeters = accuracyMeters
        self.venue = venue
    }
}

/// The geofence of a stop.
public struct TimelineVenue: Hashable, Sendable {
    /// The identifier of the geofence.
    public var identifier: String
    /// The name for people.
    public var name: String?
    /// The kind of place.
    public var significance: String?

    /// Creates a value from its properties.
    public init(identifier: String, name: String?, significance: String?) {
        self.identifier = identifier
        self.name = name
        self.significance = significance
    }
}

/// A trip with one transport mode.
public struct TimelineTransport: Hashable, Sendable {
    /// The transport mode, as far as it is known yet.
    public var mode: TransportMode
    /// The distance, metres.
    public var distanceMeters: Double
    /// The simplified line. Empty while the trip lasts, and in a private time.
    public var waypoints: [TimelineWaypoint]

    /// Creates a value from its properties.
    public init(mode: TransportMode, distanceMeters: Double, waypoints: [TimelineWaypoint]) {
        self.mode = mode
        self.distanceMeters = distanceMeters
        self.waypoints = waypoints
    }
}

/// The estimated distance during a gap.
public struct TimelineGapDistance: Hashable, Sendable {
    /// The distance, metres; the odometer contains it.
    public var meters: Double
    /// Half the width of the 95 % interval of the true distance, metres.
    public var errorMeters: Double

    /// Creates a value from its properties.
    public init(meters: Double, errorMeters: Double) {
        self.meters = meters
        self.errorMeters = errorMeters
    }
}

/// A point of the line of a trip.
public struct TimelineWaypoint: Hashable, Sendable {
    /// The position.
    public var coordinate: Coordinate
    /// The radius around the true position in 95 of 100 cases, metres. Nil where the receiver reports none.
    public var accuracyMeters: Double?
    /// The time of the position.
    public var timestamp: Timestamp
    /// The speed over ground, m/s. Nil where the receiver reports none.
    public var speedMetersPerSecond: Double?
}

/// The reason for a gap.
public enum OffTheGridReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The receiver had no position.
    case noFix = "no_fix"
    /// The source of positions, or its receiver, was not reachable.
    case sourceLost = "source_lost"
    /// The schedule was closed.
    case offSchedule = "off_schedule"
    /// Tracking was turned off.
    case disabled
    /// The machine or the agent was off.
    case powerOff = "power_off"
    /// There was no trusted time.
    case clockUntrusted = "clock_untrusted"
}

/// A list without keys, because a saved state contains many.
extension TimelineWaypoint: Codable {
    /// Reads a list of the time, latitude, longitude, accuracy and speed; −1 for an unknown one of the last two.
    /// - Throws: `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        timestamp = Timestamp(millisecondsSinceEpoch: try list.decode(Int64.self))
        coordinate = try list.decodeCoordinate()
        let accuracy = try list.decode(Double.self)
        let speed = try list.decode(Double.self)
        accuracyMeters = accuracy < 0 ? nil : accuracy
        speedMetersPerSecond = speed < 0 ? nil : speed
    }

    /// Writes the list.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(timestamp.millisecondsSinceEpoch)
        try list.encodeCoordinate(coordinate)
        try list.encode(accuracyMeters ?? -1)
        try list.encode(speedMetersPerSecond ?? -1)
    }
}
