import CivilTime
import Geodesy
import OdographModel

/// One revision of one event of the timeline: what the vehicle did for a while.
///
/// The events of a timeline follow each other without a hole and without an overlap. A journey by several means is a run
/// of transport events that touch each other, one for each means; a trip from stop to stop is such a whole run.
public struct TimelineEvent: Hashable, Sendable, Codable {
    /// What the vehicle did.
    public enum Kind: Hashable, Sendable, Codable {
        /// It stood, for the stationary rule's interval or longer; for less where the recording begins or ends with it. Where
        /// is not told of a private time.
        case stationary(TimelinePlace?)
        /// It was on its way.
        case transport(TimelineTransport)
        /// Nobody knows: there were no positions.
        case offTheGrid(OffTheGridReason)
        /// There are positions, but not enough of them to say.
        case unknown
    }

    /// The same in every revision.
    public var id: TimelineEventID
    /// Counts up from 1.
    public var revision: Int
    /// Whether a later revision can follow; the final one is not provisional.
    public var isProvisional: Bool
    /// What the vehicle did.
    public var kind: Kind
    /// When it began: when it happened, not when it was noticed.
    public var start: Timestamp
    /// When it ended; nil while it lasts. A halt, and a way that has just begun, may turn out to be none: as long as they
    /// may, what they ended has an end and is provisional.
    public var end: Timestamp?
    /// When the tracker said so, by its own time. Larger in every later record of the timeline.
    public var lastUpdate: Timestamp
    /// The tag of trips made at this time; nil for none.
    public var tag: String?
    /// Whether it turned out to be none: what was told before it went on. It takes no time then, its kind is unknown, and
    /// this is its last revision.
    public var isWithdrawn: Bool

    /// - Parameters: as the properties of the same names.
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

    /// Its length so far, seconds, ≥ 0.
    public var durationSeconds: Double { max((end ?? lastUpdate).seconds(since: start), 0) }
}

/// Where a vehicle stood.
public struct TimelinePlace: Hashable, Sendable, Codable {
    /// The robust centre of the stay.
    public var coordinate: Coordinate
    /// Radius that holds the true place in 95 of 100 cases, metres.
    public var accuracyMeters: Double
    /// The geofence that says best where that is; nil where it lies in none.
    public var venue: TimelineVenue?

    /// - Parameters: as the properties of the same names.
    public init(coordinate: Coordinate, accuracyMeters: Double, venue: TimelineVenue? = nil) {
        self.coordinate = coordinate
        self.accuracyMeters = accuracyMeters
        self.venue = venue
    }
}

/// A geofence that a vehicle stood in.
public struct TimelineVenue: Hashable, Sendable, Codable {
    /// Its identifier.
    public var identifier: String
    /// What people call it.
    public var name: String?
    /// What kind of place it is.
    public var significance: String?

    /// - Parameters: as the properties of the same names.
    public init(identifier: String, name: String?, significance: String?) {
        self.identifier = identifier
        self.name = name
        self.significance = significance
    }
}

/// How a vehicle was on its way.
public struct TimelineTransport: Hashable, Sendable, Codable {
    /// By what means, as far as it is known yet.
    public var mode: TransportMode
    /// How far, metres.
    public var distanceMeters: Double
    /// The way, simplified; empty while it lasts, and in a private time.
    public var waypoints: [TimelineWaypoint]

    /// - Parameters: as the properties of the same names.
    public init(mode: TransportMode, distanceMeters: Double, waypoints: [TimelineWaypoint]) {
        self.mode = mode
        self.distanceMeters = distanceMeters
        self.waypoints = waypoints
    }
}

/// A point of a way.
public struct TimelineWaypoint: Hashable, Sendable {
    /// Where.
    public var coordinate: Coordinate
    /// Radius that holds the true position in 95 of 100 cases, metres; nil when the receiver does not say.
    public var accuracyMeters: Double?
    /// When.
    public var timestamp: Timestamp
    /// Speed over ground, m/s; nil when the receiver does not say.
    public var speedMetersPerSecond: Double?
}

/// Why nobody knows what the vehicle did.
public enum OffTheGridReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The receiver had no position.
    case noFix = "no_fix"
    /// The source of positions, or its receiver, could not be reached.
    case sourceLost = "source_lost"
    /// The schedule was closed.
    case offSchedule = "off_schedule"
    /// Tracking was turned off.
    case disabled
    /// The machine or the agent was off.
    case powerOff = "power_off"
    /// There was no time to be trusted.
    case clockUntrusted = "clock_untrusted"
}

/// As a list without names: there are many of them in a saved state.
extension TimelineWaypoint: Codable {
    /// - Throws: `DecodingError` where it is no list of a time, a place, and an accuracy and a speed or −1.
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
