import OdographCivilTime
import OdographModel

/// The handling of the vehicle's own signals.
extension Tracker {
    /// Takes signals, and begins or ends a movement that they show.
    mutating func handle(_ signals: VehicleSignals, at now: Timestamp, into outputs: inout [TrackerOutput]) {
        guard !isSuspended else { return }
        var vehicle = recent.vehicle ?? VehicleMonitor()
        vehicle.observe(signals.received)
        let believed = vehicle.update(with: signals, at: now)
        recent.vehicle = vehicle
        if vehicle.isCarried { odometer.interruptVehicle() } else { odometer.observe(believed) }
        if configuration.driving != nil, !vehicle.isCarried, let speed = believed.wheelSpeedMetersPerSecond {
            observeDriving(wheelMetersPerSecond: speed, at: now, into: &outputs)
        }
        // Without a position there is no record, and without the time no date.
        guard let fix = lastFix, agent.isTimeKnown else { return }
        if let start = vehicle.departure(at: now) {
            depart(at: start, now: now, into: &outputs)
        } else if let stop = vehicle.stop(fixMetersPerSecond: fix.speedMetersPerSecond) {
            park(at: stop, fix: fix, now: now, into: &outputs)
        }
    }

    private mutating func depart(at start: Timestamp, now: Timestamp, into outputs: inout [TrackerOutput]) {
        var log = revisionBatch(at: now)
        timeline.depart(at: start, odometerMeters: odometer.totalMeters, into: &log)
        emit(log, into: &outputs)
        guard recent.motion.isStationary else { return }
        recent.motion.depart()
        recordLastKnownPosition(.motionChange, at: now, into: &outputs)
    }

    private mutating func park(
        at stop: Timestamp, fix: Fix, now: Timestamp, into outputs: inout [TrackerOutput]
    ) {
        var log = revisionBatch(at: now)
        timeline.arrive(at: stop, fix: fix, odometerMeters: odometer.totalMeters, into: &log)
        emit(log, into: &outputs)
        guard recent.motion.isMoving else { return }
        recent.motion.park(at: fix.coordinate)
        recordLastKnownPosition(.motionChange, at: now, into: &outputs)
    }

    // MARK: Carriage

    /// Returns an event with the way over which the vehicle was carried during it, which is not in its distance.
    func withCarriage(_ event: TimelineEvent, until now: Timestamp) -> TimelineEvent {
        guard let log = agent.carriage, !event.isWithdrawn else { return event }
        var event = event
        let logged = log.meters(from: event.start, to: event.end ?? now)
        if let meters = event.stopMeters { event.stopMeters = meters > logged ? meters - logged : nil }
        guard case .transport(var transport) = event.kind else { return event }
        // The distance of an event that an earlier run published does not contain its carriage.
        let published = event.carriedMeters ?? 0
        guard max(logged, published) >= 1 else { return event }
        event.carriedMeters = max(logged, published)
        transport.distanceMeters = max(transport.distanceMeters - max(logged - published, 0), 0)
        event.kind = .transport(transport)
        return event
    }

    // MARK: Idling

    /// The age up to which the speed of a fix shows that the vehicle stands, seconds.
    private static let longestFixAgeSeconds = 10.0

    /// Notes whether the engine runs at a halt.
    mutating func observeIdling(at now: Timestamp, into outputs: inout [TrackerOutput]) {
        guard recent.vehicle != nil || agent.idling?.isIdling == true else { return }
        let isIdling =
            !isSuspended && agent.isTimeKnown && recent.vehicle?.isEngineRunning == true && isHalted(at: now)
        guard isIdling || agent.idling != nil else { return }
        var log = agent.idling ?? IdlingLog()
        log.observe(isIdling: isIdling, at: now)
        agent.idling = log
        observeLongIdling(isIdling, at: now, into: &outputs)
    }

    /// Whether the vehicle stands: by its wheels, or else by the satellites.
    private func isHalted(at now: Timestamp) -> Bool {
        if let vehicle = recent.vehicle, vehicle.wheelSpeedMetersPerSecond != nil { return vehicle.isStanding }
        if recent.motion.isStationary { return true }
        guard let fix = lastFix, let speed = fix.speedMetersPerSecond,
            now.seconds(since: fix.timestamp) <= Self.longestFixAgeSeconds
        else { return false }
        return speed < VehicleMonitor.slowestFixMetersPerSecond
    }

    /// Returns an event with the idling during it.
    func withIdling(_ event: TimelineEvent, until now: Timestamp) -> TimelineEvent {
        guard let log = agent.idling, !event.isWithdrawn else { return event }
        var event = event
        let known = max(log.seconds(from: event.start, to: event.end ?? now), event.idleSeconds ?? 0)
        let seconds = min(known, event.durationSeconds)
        event.idleSeconds = seconds >= 1 ? seconds : nil
        return event
    }
}
