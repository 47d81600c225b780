import CivilTime

/// A remote level of configuration, as `reported` tells of it.
public struct ReportedConfigurationLevel: Hashable, Sendable, Codable {
    /// `all`, `group:<name>`, or the device's name.
    public var level: String
    /// The document's own `version`, where it has one.
    public var version: String?
    /// SHA-256 of the newest payload, as `sha256sum` gives it for the file that was published.
    public var hash: String
    /// Whether the newest payload is in force.
    public var isApplied: Bool
    /// Where the newest is refused: the hash of the document of this level that stays in force; absent where there is
    /// none.
    public var hashInForce: String?
    /// The version of that document.
    public var versionInForce: String?
    /// `false` where the broker holds no document of this level, and what is in force is what the device kept: the broker
    /// has lost its memory, or the level was withdrawn while the device was away. Absent otherwise.
    public var isRetained: Bool?

    /// - Parameters: as the properties of the same names.
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

/// One thing that is wrong with a document.
public struct ReportedConfigurationError: Hashable, Sendable, Codable {
    /// The topic that it came on.
    public var topic: String
    /// Where in the document: `tracking.stationary.distance`; empty for the document as a whole.
    public var path: String
    /// What stands there, as JSON, shortened; absent where it is the document as a whole.
    public var value: String?
    /// What is wrong with it and what would be right.
    public var message: String

    /// - Parameters: as the properties of the same names.
    public init(topic: String, path: String, value: String?, message: String) {
        self.topic = topic
        self.path = path
        self.value = value
        self.message = message
    }
}

/// One opening or closing of the schedule.
public struct ScheduleChange: Hashable, Sendable, Codable {
    /// When.
    public var at: Timestamp
    /// Whether tracking is on by the schedule from then on.
    public var withinSchedule: Bool

    /// - Parameters: as the properties of the same names.
    public init(at: Timestamp, withinSchedule: Bool) {
        self.at = at
        self.withinSchedule = withinSchedule
    }

    private enum CodingKeys: String, CodingKey {
        case at
        case withinSchedule = "within_schedule"
    }
}

/// What the tracker does.
public struct TrackingState: Hashable, Sendable, Codable {
    /// Whether tracking is turned on.
    public var isEnabled: Bool
    /// `stop`, `tag` or `private` while the schedule is closed; absent while it is open.
    public var offSchedule: String?
    /// Whether the vehicle moves; absent where nothing is told of it.
    public var isMoving: Bool?

    /// - Parameters: as the properties of the same names.
    public init(isEnabled: Bool, offSchedule: String?, isMoving: Bool?) {
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

/// Numbers for which a consumer gets no record.
public struct LedgerRange: Hashable, Sendable, Codable {
    /// The run of `seq`.
    public var epoch: Int64
    /// The first number.
    public var from: Int64
    /// The last one. Between both there may be records.
    public var to: Int64
    /// How many numbers it is about; for `possibly_lost` the most that can be.
    public var count: Int
    /// `location`, `geofence` or `timeline`; absent where several kinds are.
    public var kind: String?
    /// `thinned`, `quota`, `retention`, `not_stored` or `merged`: the agent gave the records up. `never_assigned`: there was no such record.
    /// `possibly_lost`: the database came back in an earlier state, and the records may have been published or lost.
    public var reason: String
    /// When, the last time.
    public var at: Timestamp

    /// - Parameters: as the properties of the same names.
    public init(epoch: Int64, from: Int64, to: Int64, count: Int, kind: String?, reason: String, at: Timestamp) {
        self.epoch = epoch
        self.from = from
        self.to = to
        self.count = count
        self.kind = kind
        self.reason = reason
        self.at = at
    }
}

/// What waits for the broker.
public struct QueueState: Hashable, Sendable, Codable {
    /// Records that are not acknowledged.
    public var depth: Int
    /// The time of the oldest; absent where none waits.
    public var oldest: Timestamp?

    /// - Parameters: as the properties of the same names.
    public init(depth: Int, oldest: Timestamp?) {
        self.depth = depth
        self.oldest = oldest
    }

    /// Whether more waits than what is just on its way.
    var isBacklog: Bool { depth >= ReportedMessage.backlogThreshold }
}
