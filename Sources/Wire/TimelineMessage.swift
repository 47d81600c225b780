import CivilTime

/// The payload of the channel `timeline`: one revision of one event of one device.
public struct TimelineMessage: Hashable, Sendable, Codable {
    /// The device's name.
    public var deviceID: String
    /// The revision.
    public var timelineEvent: TimelineEventRevision

    /// - Parameters: as the properties of the same names.
    public init(deviceID: String, timelineEvent: TimelineEventRevision) {
        self.deviceID = deviceID
        self.timelineEvent = timelineEvent
    }

    private enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case timelineEvent = "timeline_event"
    }
}

/// One revision of one event of the timeline. An unknown `event_id` is inserted; a known one is replaced when
/// `last_update_date` is newer.
public struct TimelineEventRevision: Hashable, Sendable, Codable {
    /// The same in every revision of the event.
    public var eventID: String
    /// Unique identifier of this record, the same in every redelivery.
    public var uuid: String?
    /// The run of `seq` that the record belongs to.
    public var epoch: Int64?
    /// The record's number on its device, over all kinds of record.
    public var seq: Int64?
    /// Counts up from 1.
    public var revision: Int
    /// Whether a later revision can follow.
    public var isProvisional: Bool
    /// `STATIONARY`, `IN_TRANSPORT`, `OFF_THE_GRID` or `UNKNOWN`.
    public var type: String
    /// When it began.
    public var startDate: Timestamp
    /// When it ended; null while it lasts. A revision with an end can be provisional: what came after it may turn out to be none.
    public var endDate: Timestamp?
    /// Never decreases over a device's deliveries.
    public var lastUpdateDate: Timestamp
    /// Its length so far, seconds.
    public var duration: Double
    /// On `IN_TRANSPORT`: `CAR`, `BUS`, `TRAIN`, `TRAM`, `MOTORCYCLE`, `BICYCLE`, `WALKING`, `RUNNING` or `UNKNOWN`.
    public var transportMode: String?
    /// On `IN_TRANSPORT`, metres.
    public var distanceInMeters: Double?
    /// On `IN_TRANSPORT`, once it has ended: the way, simplified.
    public var waypoints: [Waypoint]?
    /// On `STATIONARY`: the centre of the stay.
    public var location: StopPosition?
    /// On `STATIONARY` inside a geofence.
    public var venue: Venue?
    /// On `OFF_THE_GRID`: `no_fix`, `source_lost`, `off_schedule`, `disabled`, `power_off` or `clock_untrusted`.
    public var reason: String?
    /// The tag of trips made at this time.
    public var tag: String?
    /// True where it turned out to be none, and what was told before it went on; it takes no time then, and this is its last
    /// revision. Absent otherwise.
    public var withdrawn: Bool?

    /// - Parameters: as the properties of the same names.
    public init(
        eventID: String, uuid: String?, epoch: Int64?, seq: Int64?, revision: Int, isProvisional: Bool, type: String,
        startDate: Timestamp, endDate: Timestamp?, lastUpdateDate: Timestamp, duration: Double
    ) {
        self.eventID = eventID
        self.uuid = uuid
        self.epoch = epoch
        self.seq = seq
        self.revision = revision
        self.isProvisional = isProvisional
        self.type = type
        self.startDate = startDate
        self.endDate = endDate
        self.lastUpdateDate = lastUpdateDate
        self.duration = duration
    }

    private enum CodingKeys: String, CodingKey {
        case eventID = "event_id"
        case uuid, epoch, seq, revision
        case isProvisional = "is_provisional"
        case type
        case startDate = "start_date"
        case endDate = "end_date"
        case lastUpdateDate = "last_update_date"
        case duration
        case transportMode = "transport_mode"
        case distanceInMeters = "distance_in_meters"
        case waypoints, location, venue, reason, tag, withdrawn
    }

    /// Writes `end_date` as null while the event lasts: a consumer sees that it is open.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(eventID, forKey: .eventID)
        try container.encodeIfPresent(uuid, forKey: .uuid)
        try container.encodeIfPresent(epoch, forKey: .epoch)
        try container.encodeIfPresent(seq, forKey: .seq)
        try container.encode(revision, forKey: .revision)
        try container.encode(isProvisional, forKey: .isProvisional)
        try container.encode(type, forKey: .type)
        try container.encode(startDate, forKey: .startDate)
        try container.encode(endDate, forKey: .endDate)
        try container.encode(lastUpdateDate, forKey: .lastUpdateDate)
        try container.encode(duration, forKey: .duration)
        try container.encodeIfPresent(transportMode, forKey: .transportMode)
        try container.encodeIfPresent(distanceInMeters, forKey: .distanceInMeters)
        try container.encodeIfPresent(waypoints, forKey: .waypoints)
        try container.encodeIfPresent(location, forKey: .location)
        try container.encodeIfPresent(venue, forKey: .venue)
        try container.encodeIfPresent(reason, forKey: .reason)
        try container.encodeIfPresent(tag, forKey: .tag)
        try container.encodeIfPresent(withdrawn, forKey: .withdrawn)
    }
}

/// A point of a way.
public struct Waypoint: Hashable, Sendable, Codable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// Radius that holds the true position in 95 of 100 cases, metres; −1 when the receiver does not know it.
    public var accuracy: Double
    /// When.
    public var timestamp: Timestamp
    /// Speed over ground, m/s; −1 when the receiver does not know it.
    public var speed: Double

    /// - Parameters: as the properties of the same names.
    public init(latitude: Double, longitude: Double, accuracy: Double, timestamp: Timestamp, speed: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.timestamp = timestamp
        self.speed = speed
    }
}

/// Where a vehicle stood.
public struct StopPosition: Hashable, Sendable, Codable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// Radius that holds the true place in 95 of 100 cases, metres.
    public var accuracy: Double

    /// - Parameters: as the properties of the same names.
    public init(latitude: Double, longitude: Double, accuracy: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
    }
}

/// The geofence that a vehicle stood in.
public struct Venue: Hashable, Sendable, Codable {
    /// The geofence's identifier.
    public var identifier: String
    /// Its name.
    public var name: String?
    /// What the place is to the fleet: `HOME`, `DEPOT`, …
    public var significance: String?

    /// - Parameters: as the properties of the same names.
    public init(identifier: String, name: String?, significance: String?) {
        self.identifier = identifier
        self.name = name
        self.significance = significance
    }
}
