import OdographCivilTime

/// The payload of the channel `timeline`: one revision of one event of one device.
public struct TimelineMessage: Hashable, Sendable, Codable {
    /// The device's name.
    public var deviceID: String
    /// The revision.
    public var timelineEvent: TimelineEventRevision

    /// Creates a message.
    public init(deviceID: String, timelineEvent: TimelineEventRevision) {
        self.deviceID = deviceID
        self.timelineEvent = timelineEvent
    }

    private enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case timelineEvent = "timeline_event"
    }
}

/// One revision of an event of the timeline. A consumer inserts an unknown `event_id` and replaces a known one if
/// `last_update_date` is newer.
public struct TimelineEventRevision: Hashable, Sendable, Codable {
    /// The event's identifier, the same in every revision.
    public var eventID: String
    /// The unique identifier of this record, the same in every redelivery.
    public var uuid: String?
    /// The epoch of `seq`.
    public var epoch: Int64?
    /// The record's number, over all kinds of records of the device.
    public var seq: Int64?
    /// The number of the revision, from 1.
    public var revision: Int
    /// Whether a later revision can follow.
    public var isProvisional: Bool
    /// The kind of event.
    public var type: Kind
    /// The beginning of the event.
    public var startDate: Timestamp
    /// The end of the event; null while it lasts. It can be provisional: the next event can still be withdrawn.
    public var endDate: Timestamp?
    /// The time of this revision. It increases strictly over all revisions of a device.
    public var lastUpdateDate: Timestamp
    /// The length of the event so far, seconds.
    public var duration: Double
    /// With `IN_TRANSPORT`: the transport mode.
    public var transportMode: TransportMode?
    /// The distance so far, metres. With `IN_TRANSPORT`: of the trip. With `STATIONARY`: of movements within the
    /// place; with `UNKNOWN`: what the odometer counted; nil if it is 0, and in private time. With `OFF_THE_GRID` after
    /// its end: the estimated distance, if the vehicle can have moved unseen.
    public var distanceInMeters: Double?
    /// With `IN_TRANSPORT`: the distance over which the vehicle was carried, as on a ferry or a tow truck, metres.
    /// Neither the distance nor the odometer contains it. Absent if it was not carried, and in private time.
    public var carriedInMeters: Double?
    /// With `OFF_THE_GRID` and a distance: half the width of its 95 % interval, metres.
    public var distanceErrorInMeters: Double?
    /// With `IN_TRANSPORT` after its end: the simplified route.
    public var waypoints: [Waypoint]?
    /// With `STATIONARY`: the centre of the stop.
    public var location: StopPosition?
    /// With `STATIONARY` inside a geofence: that geofence.
    public var venue: Venue?
    /// With `OFF_THE_GRID`: the reason.
    public var reason: GapReason?
    /// The tag of records outside the schedule in mode `tag` (`tracking.off_schedule.tag`).
    public var tag: String?
    /// The driver that a program on the vehicle has set (`set_driver`): of a trip the one who was set last during it.
    /// Absent if none was set, and in private time.
    public var driver: String?
    /// The time in which the engine ran at a halt, seconds. Absent if it is not known to have done so.
    public var idleSeconds: Double?
    /// With the final revision of `IN_TRANSPORT`: the driving style. Absent if `tracking.driving` is not configured,
    /// and in private time.
    public var driving: DrivingTotals?
    /// With the final revision of `IN_TRANSPORT`: the names of the beacons that were aboard for at least half of the
    /// trip, ascending. Absent if no beacon is known, and in private time.
    public var beacons: [String]?
    /// True if the event is of private time. Absent otherwise.
    public var isPrivate: Bool?
    /// True in the first record after the vehicle's state came back from an earlier time, or was lost. Absent
    /// otherwise.
    public var stateLost: Bool?
    /// True if the event did not take place: the event before it continued. The duration is then 0, and this is the
    /// last revision. Absent otherwise.
    public var withdrawn: Bool?

    /// Creates a revision; the other properties are nil.
    public init(
        eventID: String, uuid: String?, epoch: Int64?, seq: Int64?, revision: Int, isProvisional: Bool, type: Kind,
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
        case carriedInMeters = "carried_in_meters"
        case distanceErrorInMeters = "distance_error_in_meters"
        case waypoints, location, venue, reason, tag, driver
        case idleSeconds = "idle_seconds"
        case driving, beacons
        case isPrivate = "is_private"
        case stateLost = "state_lost"
        case withdrawn
    }

    /// Encodes the revision. `end_date` is null while the event lasts, so that consumers can see it.
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
        try container.encodeIfPresent(carriedInMeters, forKey: .carriedInMeters)
        try container.encodeIfPresent(distanceErrorInMeters, forKey: .distanceErrorInMeters)
        try container.encodeIfPresent(waypoints, forKey: .waypoints)
        try container.encodeIfPresent(location, forKey: .location)
        try container.encodeIfPresent(venue, forKey: .venue)
        try container.encodeIfPresent(reason, forKey: .reason)
        try container.encodeIfPresent(tag, forKey: .tag)
        try container.encodeIfPresent(driver, forKey: .driver)
        try container.encodeIfPresent(idleSeconds, forKey: .idleSeconds)
        try container.encodeIfPresent(driving, forKey: .driving)
        try container.encodeIfPresent(beacons, forKey: .beacons)
        try container.encodeIfPresent(isPrivate, forKey: .isPrivate)
        try container.encodeIfPresent(stateLost, forKey: .stateLost)
        try container.encodeIfPresent(withdrawn, forKey: .withdrawn)
    }
}

/// A point of a route.
public struct Waypoint: Hashable, Sendable, Codable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// The radius that contains the true position in 95 of 100 cases, metres; −1 if unknown.
    public var accuracy: Double
    /// The time of the fix.
    public var timestamp: Timestamp
    /// Speed over ground, m/s; −1 if unknown.
    public var speed: Double

    /// Creates a waypoint from its parts.
    public init(latitude: Double, longitude: Double, accuracy: Double, timestamp: Timestamp, speed: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.timestamp = timestamp
        self.speed = speed
    }
}

/// The position of a stop.
public struct StopPosition: Hashable, Sendable, Codable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// The radius that contains the true position in 95 of 100 cases, metres.
    public var accuracy: Double

    /// Creates a position.
    public init(latitude: Double, longitude: Double, accuracy: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
    }
}

/// The geofence that contains a stop.
public struct Venue: Hashable, Sendable, Codable {
    /// The geofence's identifier.
    public var identifier: String
    /// The geofence's name.
    public var name: String?
    /// The meaning of the place for the fleet: `HOME`, `DEPOT`, …
    public var significance: String?

    /// Creates a venue.
    public init(identifier: String, name: String?, significance: String?) {
        self.identifier = identifier
        self.name = name
        self.significance = significance
    }
}
