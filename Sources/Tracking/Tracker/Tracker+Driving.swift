import OdographCivilTime
import OdographModel

/// The driving style, if it is configured. Private time has none: neither events nor counts.
extension Tracker {
    /// The rule of the driving style, while events may be found; nil otherwise.
    private var drivingRule: DrivingRule? { isPrivate || isSuspended ? nil : configuration.driving }

    /// Takes a believed fix.
    /// - Parameter isContinuous: whether the fix continues the movement before.
    mutating func observeDriving(_ fix: Fix, isContinuous: Bool, into outputs: inout [TrackerOutput]) {
        guard let rule = drivingRule else { return }
        var monitor = recent.driving ?? DrivingMonitor()
        if !isContinuous { monitor.interrupt() }
        let events = monitor.add(fix, rule: rule)
        recent.driving = monitor
        if !isContinuous { agent.driving?.interrupt() }
        if let speed = fix.speedMetersPerSecond, !monitor.hasWheels {
            logSpeed(speed, at: fix.timestamp, rule)
        }
        emit(events, at: agent.clock.time(of: fix.received), into: &outputs)
    }

    /// Takes a believed speed of the wheels.
    mutating func observeDriving(
        wheelMetersPerSecond speed: Double, at now: Timestamp, into outputs: inout [TrackerOutput]
    ) {
        guard let rule = drivingRule, agent.isTimeKnown else { return }
        var monitor = recent.driving ?? DrivingMonitor()
        let events = monitor.add(wheelMetersPerSecond: speed, at: now, rule: rule)
        recent.driving = monitor
        logSpeed(speed, at: now, rule)
        emit(events, at: now, into: &outputs)
    }

    /// Notes whether the engine runs at a halt.
    mutating func observeLongIdling(_ isIdling: Bool, at now: Timestamp, into outputs: inout [TrackerOutput]) {
        guard let rule = drivingRule, rule.idlingSeconds != nil, isIdling || recent.driving != nil else { return }
        var monitor = recent.driving ?? DrivingMonitor()
        let event = monitor.observe(isIdling: isIdling, at: now, rule: rule)
        recent.driving = monitor
        if let event { emit([event], at: now, into: &outputs) }
    }

    private mutating func logSpeed(_ speed: Double, at time: Timestamp, _ rule: DrivingRule) {
        var log = agent.driving ?? DrivingLog()
        log.add(metersPerSecond: speed, at: time, limitMetersPerSecond: rule.speedLimitMetersPerSecond)
        agent.driving = log
    }

    /// Counts and records events, with the last known position.
    private mutating func emit(_ events: [DrivingEvent], at now: Timestamp, into outputs: inout [TrackerOutput]) {
        guard let fix = lastFix, agent.isTimeKnown else { return }
        for event in events {
            agent.driving?.count(event)
            var location = location(of: fix, cause: .driving, at: max(now, fix.timestamp))
            location.driving = event
            emit(location, into: &outputs)
        }
    }

    // MARK: Trips

    /// Returns an event with the driving style during it, if it is a trip and this is its final revision.
    func withDriving(_ event: TimelineEvent) -> TimelineEvent {
        guard let log = agent.driving, configuration.driving != nil, !event.isProvisional, !event.isWithdrawn,
            let end = event.end, case .transport = event.kind
        else { return event }
        var event = event
        event.driving = log.summary(from: event.start, to: end)
        return event
    }
}
