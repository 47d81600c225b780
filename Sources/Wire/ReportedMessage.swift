import CivilTime
import OdographJSON

/// The payload of the channel `reported`, retained: what is in force in a device, and why something is not.
///
/// It is published on every connection, and when something in it other than ``queue`` or ``tracking`` has changed. It is
/// whole but for ``configuration``, by far its largest part, which is in the first report of a connection and in each that
/// tells of another one; the command `get_configuration` asks for it at any time.
public struct ReportedMessage: Hashable, Sendable, Codable {
    /// The device's name.
    public var deviceID: String
    /// When it was said.
    public var timestamp: Timestamp
    /// The agent's version.
    public var agentVersion: String
    /// The groups that the device belongs to, the weaker one first.
    public var groups: [String]?
    /// The remote levels that a document is known of, the weakest first.
    public var levels: [ReportedConfigurationLevel]
    /// Everything that was refused and why; empty where all is in force.
    public var errors: [ReportedConfigurationError]
    /// The local file with the documents of all levels laid over it, as far as they are in force: what is not in it has
    /// its default. Absent where it is the one that the report before this one told, as ``configurationHash`` shows.
    public var configuration: JSONValue?
    /// SHA-256 of ``configuration`` as compact JSON with sorted keys, hexadecimal.
    public var configurationHash: String
    /// Whether tracking is on by the schedule; true without one.
    public var withinSchedule: Bool
    /// Whether the schedule counts by `schedule_before_time`, since the time is not known yet; absent where it is known.
    public var isTimeUnknown: Bool?
    /// The next openings and closings of the schedule, at most ten.
    public var nextScheduleChanges: [ScheduleChange]
    /// What the tracker does.
    public var tracking: TrackingState
    /// The geofences.
    public var geofences: ReportedGeofences
    /// What the agent itself gave up, oldest first.
    public var ledger: [LedgerRange]
    /// What waits for the broker.
    public var queue: QueueState

    /// - Parameters: as the properties of the same names.
    public init(
        deviceID: String, timestamp: Timestamp, agentVersion: String, groups: [String]? = nil,
        levels: [ReportedConfigurationLevel], errors: [ReportedConfigurationError], configuration: JSONValue?,
        configurationHash: String,
        withinSchedule: Bool, isTimeUnknown: Bool? = nil,
        nextScheduleChanges: [ScheduleChange], tracking: TrackingState, geofences: ReportedGeofences,
        ledger: [LedgerRange],
        queue: QueueState
    ) {
        self.deviceID = deviceID
        self.timestamp = timestamp
        self.agentVersion = agentVersion
        self.groups = groups
        self.levels = levels
        self.errors = errors
        self.configuration = configuration
        self.configurationHash = configurationHash
        self.withinSchedule = withinSchedule
        self.isTimeUnknown = isTimeUnknown
        self.nextScheduleChanges = nextScheduleChanges
        self.tracking = tracking
        self.geofences = geofences
        self.ledger = ledger
        self.queue = queue
    }

    private enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case timestamp
        case agentVersion = "agent_version"
        case groups, levels, errors, configuration
        case configurationHash = "configuration_hash"
        case withinSchedule = "within_schedule"
        case isTimeUnknown = "time_unknown"
        case nextScheduleChanges = "next_schedule_changes"
        case tracking, geofences, ledger, queue
    }

    /// From so many waiting records on it is a backlog.
    public static let backlogThreshold = 100

    /// Whether two reports differ in something that is worth a message: not in where the vehicle is with its work, save
    /// that a backlog has come or gone.
    public func differsSignificantly(from other: ReportedMessage) -> Bool {
        var mine = self
        mine.timestamp = other.timestamp
        if queue.isBacklog == other.queue.isBacklog { mine.queue = other.queue }
        // The hash tells of another one.
        mine.configuration = other.configuration
        mine.tracking = other.tracking
        mine.tracking.isEnabled = tracking.isEnabled
        mine.tracking.offSchedule = tracking.offSchedule
        return mine != other
    }
}
