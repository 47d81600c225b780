import OdographCivilTime
import OdographJSON

/// The payload of the channel `reported`, retained: the state that is in force in a device, and the errors of the rest.
///
/// It is published on every connection and after each change for which ``differsSignificantly(from:)`` is true. It is
/// complete except for ``configuration``, its largest part. The first report of a connection contains the
/// configuration, and so does each report after a change of it. The command `get_configuration` returns it at any time.
public struct ReportedMessage: Hashable, Sendable, Codable {
    /// The device's name.
    public var deviceID: String
    /// The time of the report.
    public var timestamp: Timestamp
    /// The agent's version.
    public var agentVersion: String
    /// The groups of the device, weakest first.
    public var groups: [String]?
    /// The remote levels with a known document, weakest first.
    public var levels: [ReportedConfigurationLevel]
    /// All refused configuration values and documents; empty if everything is in force.
    public var errors: [ReportedConfigurationError]
    /// The local file merged with the documents of all levels, as far as they are in force. A missing key has its
    /// default. Absent if it is the same as in the previous report, see ``configurationHash``.
    public var configuration: JSONValue?
    /// SHA-256 of ``configuration`` as compact JSON with sorted keys, hexadecimal.
    public var configurationHash: String
    /// Whether tracking is on by the schedule; true without one.
    public var withinSchedule: Bool
    /// Whether the schedule follows `schedule_before_time`, because the time is not known yet; absent if it is known.
    public var isTimeUnknown: Bool?
    /// The name of the zone of the device's days: that of the schedule, otherwise the machine's. Absent if it has no
    /// name.
    public var timeZone: String?
    /// The next openings and closings of the schedule, at most ten.
    public var nextScheduleChanges: [ScheduleChange]
    /// The state of the tracker.
    public var tracking: TrackingState
    /// The geofences.
    public var geofences: ReportedGeofences
    /// The ranges of numbers without a record, oldest first.
    public var ledger: [LedgerRange]
    /// The records that wait for the broker.
    public var queue: QueueState
    /// The receipts in force, one for each configured recorder that has sent one; absent if there is none.
    public var receipts: [ReportedReceipt]?
    /// The traffic budget; absent if there is none.
    public var budget: BudgetState?
    /// The ends of the certificates of the connection; absent without TLS.
    public var certificates: CertificateEnds?
    /// The capabilities of the agent.
    public var features: [Feature]

    /// Creates a report from its parts.
    public init(
        deviceID: String, timestamp: Timestamp, agentVersion: String, groups: [String]? = nil,
        levels: [ReportedConfigurationLevel], errors: [ReportedConfigurationError], configuration: JSONValue?,
        configurationHash: String,
        withinSchedule: Bool, isTimeUnknown: Bool? = nil, timeZone: String? = nil,
        nextScheduleChanges: [ScheduleChange], tracking: TrackingState, geofences: ReportedGeofences,
        ledger: [LedgerRange],
        queue: QueueState, receipts: [ReportedReceipt]? = nil, budget: BudgetState? = nil,
        certificates: CertificateEnds? = nil, features: [Feature]
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
        self.timeZone = timeZone
        self.nextScheduleChanges = nextScheduleChanges
        self.tracking = tracking
        self.geofences = geofences
        self.ledger = ledger
        self.queue = queue
        self.receipts = receipts
        self.budget = budget
        self.certificates = certificates
        self.features = features
    }

    private enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case timestamp
        case agentVersion = "agent_version"
        case groups, levels, errors, configuration
        case configurationHash = "configuration_hash"
        case withinSchedule = "within_schedule"
        case isTimeUnknown = "time_unknown"
        case timeZone = "time_zone"
        case nextScheduleChanges = "next_schedule_changes"
        case tracking, geofences, ledger, queue, receipts, budget, certificates, features
    }

    /// The number of waiting records from which they count as a backlog.
    public static let backlogThreshold = 100

    /// Whether two reports differ enough to publish the newer one. The time, ``TrackingState/isMoving`` and the queue
    /// do not count, except that a backlog begins or ends. Of the receipts, only the names of their databases count. Of
    /// the budget, its use counts in tenths.
    public func differsSignificantly(from other: ReportedMessage) -> Bool {
        var mine = self
        mine.timestamp = other.timestamp
        if queue.isBacklog == other.queue.isBacklog { mine.queue = other.queue }
        // The hash shows whether the configuration differs.
        mine.configuration = other.configuration
        mine.tracking = other.tracking
        mine.tracking.isEnabled = tracking.isEnabled
        mine.tracking.offSchedule = tracking.offSchedule
        if receipts?.map(\.database) == other.receipts?.map(\.database) { mine.receipts = other.receipts }
        if let budget, let former = other.budget, !budget.differsSignificantly(from: former) { mine.budget = former }
        return mine != other
    }
}
