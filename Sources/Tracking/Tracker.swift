import CivilTime
import OdographModel

/// The tracker: a value that turns what happens into what is to be recorded.
///
/// It reads no clock, file, socket or environment. Its state is Codable: saved together with the records it made and
/// loaded again, it goes on as if nothing had been.
public struct Tracker: Equatable, Sendable, Codable {
    /// What is in force.
    public private(set) var configuration: TrackingConfiguration
    /// What became of the fixes so far.
    public internal(set) var counters = TrackerCounters()

    var clock = TrackerClock()
    /// Positions that wait for their date; nil where none do.
    var undated: UndatedFixQueue?
    /// How far the receiver's dates agree, while nobody knows the time.
    var agreement: ReceiverTimeEstimator?
    /// The machine's name for the boot of the last start.
    var boot: String?
    var filter = FixFilter()
    var motion = MotionDetector()
    var odometer = Odometer()
    var hold = FrozenFixDetector()
    var hops = MultipathJumpDetector()
    var epochs = MotionWindowBuilder()
    var movement = MovementTracker()
    var timeline: TripSegmenter
    var geofences = GeofenceMonitor()
    /// The venue of the last stay that was told.
    var toldVenue: String?
    var sampler = LocationSampler()
    var provider = ProviderMonitor()
    var requests = PendingPositionRequests()
    var battery: Battery?
    /// Whether the time of the last input is known.
    private(set) var isTimeKnown = true
    /// Whether tracking is on by the schedule.
    public internal(set) var schedule = ScheduleGate.State.open
    /// Whether the next record is to tell of the schedule's opening, for it is the first one since.
    var owesOpening = false

    /// A tracker that knows nothing yet.
    /// - Parameters:
    ///   - configuration: what is in force.
    ///   - seed: 128 random bits that tell the identifiers of its timeline from those of every other tracker.
    public init(
        configuration: TrackingConfiguration = TrackingConfiguration(), seed: (UInt64, UInt64) = (0, 0)
    ) {
        self.configuration = configuration
        timeline = TripSegmenter(seed: TrackerSeed(first: seed.0, second: seed.1))
    }

    /// The last fix that was believed.
    public var lastFix: Fix? { filter.lastAccepted }
    /// Whether the vehicle moves.
    public var isMoving: Bool { motion.isMoving }
    /// Distance since the odometer was last set, metres.
    public var odometerMeters: Double { odometer.meters }
    /// The true distance is within ± this of ``distanceMeters`` in 95 of 100 cases, metres.
    public var odometerErrorMeters: Double { odometer.errorMeters }
    /// The believed points of the last stationary interval, oldest first.
    public var recentPoints: [TrackPoint] { motion.recentPoints }

    /// The last believed fix as a location event would say it now; nil before the first.
    public func currentLocation(at moment: ClockReading) -> TrackedLocation? {
        lastFix.map { location(of: $0, cause: nil, ageMilliseconds: ageMilliseconds(of: $0, at: moment)) }
    }

    /// How long from a moment until something falls due that needs a tick, seconds, ≥ 0; nil for nothing.
    public func secondsUntilDue(at moment: ClockReading) -> Double? {
        guard let due = nextDeadline(isTimeKnown: clock.isTimeKnown(at: moment))?.time else { return nil }
        return max(due.seconds(since: clock.time(of: moment)), 0)
    }

    /// How often positions are needed now; that it is another one than before is among what ``handle(_:)`` gives.
    ///
    /// Seldom where the vehicle is parked, or is not tracked, unless somebody waits for a position.
    public var requiredFixRate: FixRate {
        requests.isEmpty && (isSuspended || motion.isStationary) ? .reduced : .full
    }

    /// Takes one input; whatever fell due before it is done first, but for a start: nothing falls due while the agent is off.
    public mutating func handle(_ input: TrackerInput) -> [TrackerOutput] {
        var outputs: [TrackerOutput] = []
        if case .started(let moment, let boot) = input {
            restart(at: moment, boot: boot, into: &outputs)
            return outputs
        }
        let wish = requiredFixRate
        outputs = self.process(input)
        if requiredFixRate != wish { outputs.append(.fixRate(requiredFixRate)) }
        return outputs
    }

    private mutating func process(_ input: TrackerInput) -> [TrackerOutput] {
        var outputs: [TrackerOutput] = []
        if case .fix(let fix) = input, filter.isReplayDateOutlier(fix, rule: configuration.filter) {
            handle(fix, into: &outputs)
            return outputs
        }
        clock.observe(input.clockReading)
        let now = clock.time(of: input.clockReading)
        isTimeKnown = clock.isTimeKnown(at: input.clockReading)
        processDeadlines(until: now, into: &outputs)
        switch input {
        case .fix(let fix): handle(fix, into: &outputs)
        case .undated(let position): handleUndated(position, into: &outputs)
        case .tick, .started: break
        case .source(let state, _):
            provider.updateSource(to: state, at: now)
            timeline.events.gapEvidence.setSourceState(state)
        case .battery(let state, _): battery = state
        case .configuration(let new, _): apply(new, at: now, into: &outputs)
        case .schedule(let state, _): apply(state, at: now, into: &outputs)
        case .odometer(let meters, _): odometer.set(toMeters: meters)
        case .positionRequest(let request, _): handleRequest(request, at: now, into: &outputs)
        }
        return outputs
    }

    // MARK: Inputs other than fixes

    private mutating func restart(at moment: ClockReading, boot newBoot: String?, into outputs: inout [TrackerOutput]) {
        let isSameBoot = newBoot != nil && newBoot == boot
        boot = newBoot
        let hasGivenUp = isSameBoot ? false : abandonUndatedFixes(into: &outputs)
        if !isSameBoot { clock.handleRestart(at: moment) }
        filter.handleRestart(isSameBoot: isSameBoot)
        motion.interrupt()
        provider.handleRestart()
        timeline.events.gapEvidence.noteAgentStart(
            at: clock.isTimeKnown(at: moment) ? clock.time(of: moment) : nil, wasClockUntrusted: hasGivenUp,
            event: &timeline.events.open)
        geofences.interrupt()
        requests.removeAll()
    }

    private mutating func apply(
        _ new: TrackingConfiguration, at now: Timestamp, into outputs: inout [TrackerOutput]
    ) {
        if configuration.isEnabled != new.isEnabled {
            interruptMovement()
            geofences.interrupt()
        }
        if configuration.isEnabled && !new.isEnabled {
            var log = revisionBatch(at: now)
            timeline.suspend(.disabled, at: eventTime(now), into: &log)
            emit(log, into: &outputs)
        }
        configuration = new
    }

    /// When something happened to the timeline that happened now: where nobody knows the time, the last one that was known
    /// and not one that the machine made up.
    func eventTime(_ now: Timestamp) -> Timestamp {
        isTimeKnown ? now : timeline.events.lastTime ?? now
    }

    /// Answers those who wait for a position that they will not get it.
    mutating func refuseRequests(into outputs: inout [TrackerOutput]) {
        let last = Timestamp(millisecondsSinceEpoch: .max)
        outputs += requests.removeTimedOut(at: last).map { .position(nil, request: $0.0.id) }
    }

    /// What comes next has nothing to do with how it moved.
    mutating func interruptMovement() {
        motion.interrupt()
        epochs.reset()
        movement.reset()
    }

    /// Forgets where the vehicle was; how far it went, and when, stays known.
    mutating func forgetPositions() {
        filter = FixFilter()
        motion = MotionDetector()
        hold = FrozenFixDetector()
        hops = MultipathJumpDetector()
        epochs = MotionWindowBuilder()
        movement = MovementTracker()
        sampler.forgetPositions()
        requests.removeAll()
        undated = nil
        odometer.forgetPosition()
        timeline.events.forgetPositions()
        geofences.forgetPositions()
        toldVenue = nil
    }

    /// The same tracker without a position in it: what may be kept of it where none may.
    public func withoutPositions() -> Tracker {
        var copy = self
        copy.forgetPositions()
        return copy
    }

    private mutating func handleRequest(
        _ request: PositionRequest, at now: Timestamp, into outputs: inout [TrackerOutput]
    ) {
        guard !isSuspended, !isPrivate else {
            outputs.append(.position(nil, request: request.id))
            return
        }
        requests.add(request, at: now)
    }
}
