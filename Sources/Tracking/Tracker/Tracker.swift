import OdographCivilTime
import OdographModel

/// The tracker: a value that turns inputs into records, without a clock, file, socket or environment.
///
/// Its state is Codable: a saved state continues as if nothing had happened. Every field is classified by what private
/// time does with it, and has no default value: the initializers and ``withoutPositions()`` must mention each.
public struct Tracker: Equatable, Sendable, Codable {
    /// The configuration in force.
    public private(set) var configuration: TrackingConfiguration

    /// State without positions, which private time does not change.
    var agent: AgentState
    /// State that private time erases.
    var recent: RecentState

    // State that outlives private time without its positions.
    var odometer: Odometer
    var timeline: TripSegmenter
    var geofences: GeofenceMonitor
    var sampler: LocationSampler
}

extension Tracker {
    /// A tracker without any state.
    /// - Parameters:
    ///   - configuration: the configuration in force.
    ///   - seed: 128 random bits, which make the identifiers of its timeline unique among all trackers.
    public init(configuration: TrackingConfiguration = TrackingConfiguration(), seed: (UInt64, UInt64) = (0, 0)) {
        self.init(
            configuration: configuration, agent: AgentState(), recent: RecentState(), odometer: Odometer(),
            timeline: TripSegmenter(seed: TrackerSeed(first: seed.0, second: seed.1)), geofences: GeofenceMonitor(),
            sampler: LocationSampler())
    }

    /// The counts of accepted and rejected fixes.
    public var counters: TrackerCounters { agent.counters }
    /// Whether tracking is on by the schedule.
    public var schedule: ScheduleGate.State { agent.schedule }
    /// Whether there is a position.
    public var hasPosition: Bool { lastFix != nil }
    /// The last believed fix.
    var lastFix: Fix? { recent.filter.lastAccepted }
    /// Whether the vehicle moves.
    public var isMoving: Bool { recent.motion.isMoving }
    /// The time for which the receiver has repeated its position although it reports a movement, seconds; nil if it
    /// does not.
    public var positionFrozenSeconds: Double? { recent.frozenFixes.frozenSeconds }
    /// The distance since the odometer was last set, metres.
    public var odometerMeters: Double { odometer.meters }
    /// The 95 % bound of the error of ``odometerMeters``, metres.
    public var odometerErrorMeters: Double { odometer.errorMeters }

    /// Returns the date of a clock reading, as far as it is known.
    public func date(of moment: ClockReading) -> Timestamp { agent.clock.time(of: moment) }

    /// Returns whether a fix is the last believed one.
    public func hasAccepted(_ fix: Fix) -> Bool { lastFix == fix }

    /// Returns the time from a moment to the next deadline, which needs a tick, seconds, ≥ 0; nil for none.
    public func secondsUntilDue(at moment: ClockReading) -> Double? {
        let due = nextDeadline(isTimeKnown: agent.clock.isTimeKnown(at: moment))?.time
        let seconds = due.map { max($0.seconds(since: agent.clock.time(of: moment)), 0) }
        // The loss of the position ends where the vehicle is silent, too.
        return isPositionLost ? min(seconds ?? .infinity, SignalReadings.StaleAfter.ignition) : seconds
    }

    /// The rate of positions that the tracker needs: reduced while the vehicle is parked or not tracked, unless a
    /// request waits. ``handle(_:)`` outputs each change.
    public var requiredFixRate: FixRate {
        recent.requests.isEmpty && (isSuspended || recent.motion.isStationary) ? .reduced : .full
    }

    /// Handles one input. Deadlines before it are processed first, except at a start: none is due while the agent is
    /// off.
    public mutating func handle(_ input: TrackerInput) -> [TrackerOutput] {
        var outputs: [TrackerOutput] = []
        if case .started(let moment, let boot) = input {
            restart(at: moment, boot: boot, into: &outputs)
            return outputs
        }
        let rate = requiredFixRate
        process(input, into: &outputs)
        if requiredFixRate != rate { outputs.append(.fixRate(requiredFixRate)) }
        return outputs
    }

    private mutating func process(_ input: TrackerInput, into outputs: inout [TrackerOutput]) {
        if case .fix(let fix) = input,
            recent.filter.isReplayDateOutlier(fix, limits: stepLimits)
        {
            return handle(fix, into: &outputs)
        }
        defer { watchPosition(at: input.clockReading) }
        agent.clock.observe(input.clockReading)
        let now = agent.clock.time(of: input.clockReading)
        agent.isTimeKnown = agent.clock.isTimeKnown(at: input.clockReading)
        recent.vehicle?.observe(input.clockReading)
        observeIdling(at: now, into: &outputs)
        processDeadlines(until: now, into: &outputs)
        defer {
            observeIdling(at: now, into: &outputs)
            emitBeacons(at: now, into: &outputs)
        }
        switch input {
        case .fix(let fix): handle(fix, into: &outputs)
        case .undated(let position): handleUndated(position, into: &outputs)
        case .tick, .started: break
        case .source(let state, _):
            agent.provider.updateSource(to: state, at: now)
            if state != .available { agent.positions.noteNoPosition() }
            timeline.events.gapEvidence.setSourceState(state)
        case .battery(let state, _): agent.battery = state
        case .signals(let signals): handle(signals, at: now, into: &outputs)
        case .beacon(let event, _): handle(event)
        case .configuration(let new, _): apply(new, at: now, into: &outputs)
        case .schedule(let state, _): apply(state, at: now, into: &outputs)
        case .odometer(let meters, _): odometer.set(toMeters: meters)
        case .positionRequest(let request, _): handleRequest(request, at: now, into: &outputs)
        }
    }

    // MARK: Inputs other than fixes

    private mutating func restart(at moment: ClockReading, boot newBoot: String?, into outputs: inout [TrackerOutput]) {
        let isSameBoot = newBoot != nil && newBoot == agent.boot
        agent.boot = newBoot
        let hasGivenUp = isSameBoot ? false : abandonUndatedFixes(into: &outputs)
        if !isSameBoot { agent.clock.handleRestart(at: moment) }
        recent.filter.handleRestart(isSameBoot: isSameBoot)
        recent.motion.interrupt()
        // The times of the signals are those of a run.
        recent.vehicle = nil
        agent.idling?.interrupt()
        recent.driving = nil
        agent.driving?.interrupt()
        odometer.interruptVehicle()
        agent.provider.handleRestart()
        if !isSameBoot { agent.positions.handleReboot(at: moment) }
        timeline.events.gapEvidence.noteAgentStart(
            at: agent.clock.isTimeKnown(at: moment) ? agent.clock.time(of: moment) : nil, wasClockUntrusted: hasGivenUp,
            event: &timeline.events.open)
        geofences.interrupt()
        recent.requests.removeAll()
        watchPosition(at: moment)
    }

    private mutating func apply(
        _ new: TrackingConfiguration, at now: Timestamp, into outputs: inout [TrackerOutput]
    ) {
        if configuration.isEnabled != new.isEnabled {
            recent.interruptMovement()
            geofences.interrupt()
        }
        if configuration.isEnabled && !new.isEnabled {
            var log = revisionBatch(at: now)
            timeline.suspend(.disabled, at: eventTime(now), into: &log)
            emit(log, into: &outputs)
        }
        configuration = new
        if new.driving == nil { recent.driving = nil }
    }

    /// Returns the time of a timeline event of now: the last known time while the time is unknown.
    func eventTime(_ now: Timestamp) -> Timestamp {
        agent.isTimeKnown ? now : timeline.events.lastTime ?? now
    }

    /// Answers all waiting requests without a position.
    mutating func refuseRequests(into outputs: inout [TrackerOutput]) {
        let last = Timestamp(millisecondsSinceEpoch: .max)
        outputs += recent.requests.removeTimedOut(at: last).map { .position(nil, request: $0.0.id) }
    }

    private mutating func handleRequest(
        _ request: PositionRequest, at now: Timestamp, into outputs: inout [TrackerOutput]
    ) {
        guard !isSuspended, !isPrivate else {
            outputs.append(.position(nil, request: request.id))
            return
        }
        recent.requests.add(request, at: now)
    }
}
