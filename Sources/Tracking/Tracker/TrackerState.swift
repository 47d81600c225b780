import OdographModel

/// State that private time erases by assigning a new value, so that no field can be omitted. The fields have no default
/// values, so that ``init()`` must mention each.
struct RecentState: Equatable, Sendable, Codable {
    var filter: FixFilter
    var motion: MotionDetector
    var frozenFixes: FrozenFixDetector
    var jumps: MultipathJumpDetector
    var windows: MotionWindowBuilder
    var movement: MovementTracker
    var requests: PendingPositionRequests
    /// The positions that wait for their date.
    var undated: UndatedFixQueue
    /// The identifier of the last published stop's geofence; nil for none.
    var venue: String?
    /// The values that the vehicle reports; nil before the first ones.
    var vehicle: VehicleMonitor?
    /// The manoeuvre in progress; nil if the driving style is not configured.
    var driving: DrivingMonitor?
}

extension RecentState {
    init() {
        self.init(
            filter: FixFilter(), motion: MotionDetector(), frozenFixes: FrozenFixDetector(),
            jumps: MultipathJumpDetector(), windows: MotionWindowBuilder(), movement: MovementTracker(),
            requests: PendingPositionRequests(), undated: UndatedFixQueue(), venue: nil, vehicle: nil, driving: nil)
    }

    /// Restarts the observation of the movement.
    mutating func resetMovement() {
        windows.reset()
        movement.reset()
    }

    /// Separates what follows from the movement before.
    mutating func interruptMovement() {
        motion.interrupt()
        resetMovement()
        driving = nil
    }
}

/// State that contains no position, so that private time need not remove it. The fields have no default values, so that
/// ``init()`` must mention each.
struct AgentState: Equatable, Sendable, Codable {
    var counters: TrackerCounters
    var clock: TrackerClock
    /// The agreement of the receiver's dates while the time is unknown.
    var timeEstimator: ReceiverTimeEstimator
    var provider: ProviderMonitor
    var positions: PositionWatch
    /// Whether the time of the last input is known.
    var isTimeKnown: Bool
    var schedule: ScheduleGate.State
    /// Whether the next record reports the schedule's opening as its cause.
    var owesOpening: Bool
    var battery: Battery?
    /// The machine's name for its boot at the last start.
    var boot: String?
    /// The times in which the engine ran at a halt; nil if no vehicle has reported that.
    var idling: IdlingLog?
    /// The driving style of the last trips; nil if it is not configured.
    var driving: DrivingLog?
    /// The beacons that are aboard; nil if none was.
    var beacons: BeaconLog?
    /// The ways over which the vehicle was carried; nil if there was none.
    var carriage: CarriageLog?
}

extension AgentState {
    init() {
        self.init(
            counters: TrackerCounters(), clock: TrackerClock(), timeEstimator: ReceiverTimeEstimator(),
            provider: ProviderMonitor(), positions: PositionWatch(), isTimeKnown: true, schedule: .open,
            owesOpening: false, battery: nil,
            boot: nil,
            idling: nil, driving: nil, beacons: nil, carriage: nil)
    }
}
