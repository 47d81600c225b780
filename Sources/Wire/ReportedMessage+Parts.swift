import OdographCivilTime

/// A remote configuration level, as a part of `reported`.
public struct ReportedConfigurationLevel: Hashable, Sendable, Codable {
    /// `all`, `group:<name>`, the device's name, or `<device>/program`.
    public var level: String
    /// The `version` of the newest document; absent if it has none.
    public var version: String?
    /// SHA-256 of the newest payload, as `sha256sum` shows for the published file.
    public var hash: String
    /// Whether the newest payload is in force.
    public var isApplied: Bool
    /// If the newest payload is refused: the hash of the earlier document in force; absent if there is none.
    public var hashInForce: String?
    /// The `version` of that document.
    public var versionInForce: String?
    /// `false` if the broker has no document of this level and the device uses its saved one: the broker lost its data,
    /// or the level was withdrawn while the device was offline. Absent otherwise.
    public var isRetained: Bool?

    /// Creates a level from its parts.
    public init(
        level: String, version: String?, hash: String, isApplied: Bool, hashInForce: String? = nil,
        versionInForce: String? = nil, isRetained: Bool? = nil
    ) {
        self.level = level
        self.version = version
        self.hash = hash
        self.isApplied = isApplied
        self.hashInForce = hashInForce
        self.versionInForce = versionInForce
        self.isRetained = isRetained
    }

    private enum CodingKeys: String, CodingKey {
        case level, version, hash
        case isApplied = "applied"
        case hashInForce = "hash_in_force"
        case versionInForce = "version_in_force"
        case isRetained = "retained"
    }
}

/// An error of a configuration document.
public struct ReportedConfigurationError: Hashable, Sendable, Codable {
    /// The topic of the document.
    public var topic: String
    /// The place in the document, `tracking.stationary.distance`; empty for the whole document.
    public var path: String
    /// The wrong value as JSON, shortened; absent for the whole document.
    public var value: String?
    /// The problem and the remedy.
    public var message: String

    /// Creates an error from its parts.
    public init(topic: String, path: String, value: String?, message: String) {
        self.topic = topic
        self.path = path
        self.value = value
        self.message = message
    }
}

/// An opening or closing of the schedule.
public struct ScheduleChange: Hashable, Sendable, Codable {
    /// The time of the change.
    public var at: Timestamp
    /// Whether tracking is on by the schedule from then on.
    public var withinSchedule: Bool

    /// Creates a change.
    public init(at: Timestamp, withinSchedule: Bool) {
        self.at = at
        self.withinSchedule = withinSchedule
    }

    private enum CodingKeys: String, CodingKey {
        case at
        case withinSchedule = "within_schedule"
    }
}

/// The state of the tracker.
public struct TrackingState: Hashable, Sendable, Codable {
    /// Whether tracking is turned on.
    public var isEnabled: Bool
    /// The treatment of positions while the schedule is closed; absent while it is open.
    public var offSchedule: OffScheduleMode?
    /// Whether the vehicle moves; absent in the modes `stop` and `private` while the schedule is closed.
    public var isMoving: Bool?

    /// Creates a state from its parts.
    public init(isEnabled: Bool, offSchedule: OffScheduleMode?, isMoving: Bool?) {
        self.isEnabled = isEnabled
        self.offSchedule = offSchedule
        self.isMoving = isMoving
    }

    private enum CodingKeys: String, CodingKey {
        case isEnabled = "enabled"
        case offSchedule = "off_schedule"
        case isMoving = "is_moving"
    }
}

/// A range of record numbers for which a consumer gets no record.
public struct LedgerRange: Hashable, Sendable, Codable {
    /// The epoch of `seq`.
    public var epoch: Int64
    /// The first number.
    public var from: Int64
    /// The last number. Other records may have numbers in the range.
    public var to: Int64
    /// The count of missing records; for `possibly_lost`, the greatest possible count.
    public var count: Int
    /// The kind of the records; absent for several kinds.
    public var kind: Kind?
    /// The reason why there is no record.
    public var reason: Reason
    /// The time of the last such event.
    public var at: Timestamp

    /// Creates a range from its parts.
    public init(epoch: Int64, from: Int64, to: Int64, count: Int, kind: Kind?, reason: Reason, at: Timestamp) {
        self.epoch = epoch
        self.from = from
        self.to = to
        self.count = count
        self.kind = kind
        self.reason = reason
        self.at = at
    }
}

/// The records that wait for the broker.
public struct QueueState: Hashable, Sendable, Codable {
    /// The number of records that the broker has not acknowledged.
    public var depth: Int
    /// The time of the oldest record; absent if there is none.
    public var oldest: Timestamp?

    /// Creates a state from its parts.
    public init(depth: Int, oldest: Timestamp?) {
        self.depth = depth
        self.oldest = oldest
    }

    /// Whether more records wait than in normal operation.
    var isBacklog: Bool { depth >= ReportedMessage.backlogThreshold }
}
