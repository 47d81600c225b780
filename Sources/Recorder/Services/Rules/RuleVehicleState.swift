import OdographCivilTime
import OdographCrontab
import OdographWire

/// The knowledge of the rules about a vehicle. It follows from its messages; after a start, from the database.
struct RuleVehicleState: Sendable {
    /// The connection to the broker.
    enum Presence: Hashable, Sendable {
        case online
        /// The agent has announced that it stops.
        case stopped
        /// The broker has lost the connection, or there is no status.
        case lost
    }

    let vehicle: RuleVehicle
    var presence = Presence.lost
    /// The connection and the time of the newest status.
    var status: (connection: Int64, date: Timestamp)?
    /// The newest sign of life in this run of the recorder; nil before the first one.
    var lastSign: ContinuousClock.Instant?
    /// Whether the vehicle has been away for so long that its silence is no news.
    var isForgotten = false
    /// Whether the vehicle moved at its newest record; nil if it is not known.
    var isMoving: Bool?
    /// The time since which the vehicle reports that it has no position; nil if it does not.
    var positionMissingSince: Timestamp?
    /// Whether the vehicle's traffic budget was exhausted, and the time of the status or report that says so. Nil
    /// before the first one.
    private(set) var budget: (isExhausted: Bool, date: Timestamp)?
    /// The time of the newest record.
    var newestRecord: Timestamp?
    /// The newest time at which this run of the recorder knows the vehicle in private use; nil if none.
    var privateUntil: Timestamp?
    /// The time after which a parked vehicle makes a record, seconds; 0 for never.
    var heartbeatSeconds = HeartbeatInterval.usualSeconds
    /// The longest time between two messages with records of a moving vehicle, seconds.
    var movingSeconds = Self.usualMovingSeconds
    /// The newest report.
    var report: ReportFacts?
    /// The refused values of the newest report; nil for none, and before the first report of this run.
    var refused: RefusedConfiguration?
    /// The zone of the vehicle's days, by its newest report; UTC if it has stated none.
    var zone = ZoneRules.utc
    /// Whether the values of a program or of a bus contain the vehicle's own odometer.
    var hasOwnOdometer = false
    /// The engine at the newest record.
    var engine = EngineRun()
    /// The beginning of the records that are too fast, and the greatest speed, for each rule by its place.
    var fastRuns: [Int: FastRun] = [:]

    /// The default of `tracking.sampling.maximum_interval`, seconds.
    static let usualMovingSeconds = 300.0

    /// Returns an interval for a moving vehicle that a report states, seconds; the default if no agent can have it.
    static func movingInterval(_ seconds: Double) -> Double {
        (1...90_000).contains(seconds) ? seconds : usualMovingSeconds
    }

    init(_ vehicle: RuleVehicle) { self.vehicle = vehicle }

    /// Notes a time of private use. A date in the future would hide the right ones.
    mutating func notePrivateUse(at time: Timestamp, now: RuleMoment) {
        guard time <= now.latestDate else { return }
        privateUntil = max(privateUntil ?? time, time)
    }

    /// Notes the traffic budget of a status or report.
    /// - Parameter latest: The latest possible date. A clock can have been ahead of it, and is right again.
    mutating func noteBudget(isExhausted: Bool, at time: Timestamp, latest: Timestamp) {
        if let budget, time < budget.date, budget.date <= latest { return }
        budget = (isExhausted, time)
    }

    /// Whether a record that was made after a private use tells what happened in it.
    func isOfPrivateUse(_ occurrence: Timestamp, toldAt time: Timestamp) -> Bool {
        privateUntil.map { occurrence <= $0 && $0 < time } ?? false
    }
}

/// Records of a vehicle in sequence that are faster than a rule allows.
struct FastRun: Hashable, Sendable {
    /// The longest time between two records of a run, seconds. Nobody knows how fast the vehicle was in a longer one.
    private static let longestHoleSeconds = 180.0

    var begin: Timestamp
    var peak: Double
    private var last: Timestamp

    init(begin: Timestamp, peak: Double) { (self.begin, self.peak, last) = (begin, peak, begin) }

    /// Adds a fast record, which begins a new run after a hole.
    mutating func add(_ time: Timestamp, speed: Double) {
        if time.seconds(since: last) > Self.longestHoleSeconds { self = FastRun(begin: time, peak: speed) }
        peak = max(peak, speed)
        last = time
    }
}

extension Rule {
    /// Returns whether the rule can be triggered by what a vehicle does at a time.
    func isInForce(for state: RuleVehicleState, at time: Timestamp) -> Bool {
        guard applies(to: state.vehicle) else { return false }
        if let group, state.report?.groups.contains(group) != true { return false }
        return during?.isOpen(at: time, in: state.zone) ?? true
    }
}
