import OdographCivilTime
import OdographModel

/// Positions received before the time was known.
///
/// They wait until the time is known, from receiver dates that agree or from the machine's clock, and then the
/// monotonic clock dates them. If the machine restarts first, they can no longer be dated. Then they are recorded with
/// the earliest possible time and marked as such.
extension Tracker {
    /// Whether positions wait for their date.
    public var hasUndatedFixes: Bool { !recent.undated.isEmpty }

    /// Returns a position with its final date: the receiver's if it reported one, else that of the clock.
    /// - Returns: nil if the time is unknown; the position is then an ``TrackerInput/undated(_:)`` input.
    public func dated(_ position: ReceivedFix) -> Fix? {
        guard agent.clock.isTimeKnown(at: position.fix.received) else { return nil }
        guard !position.hasReceiverDate else { return position.fix }
        var fix = position.fix
        fix.timestamp = agent.clock.time(of: fix.received)
        return fix
    }

    /// Removes the waiting positions and returns them with dates, once the time is known. Handle them as fixes, in this
    /// order, before all later inputs, and then save the state in full.
    public mutating func takeDatedFixes(at moment: ClockReading) -> [Fix] {
        guard hasUndatedFixes else { return [] }
        agent.clock.observe(moment)
        guard agent.clock.isTimeKnown(at: moment) else { return [] }
        return recent.undated.takeAll().map { position in
            var fix = position.fix
            let time = agent.clock.time(of: fix.received)
            let isRight =
                position.hasReceiverDate
                && abs(fix.timestamp.seconds(since: time)) <= configuration.filter.maximumAgeSeconds
            if !isRight { fix.timestamp = time }
            return fix
        }
    }

    /// Handles a position whose date is unknown.
    mutating func handleUndated(_ position: ReceivedFix, into outputs: inout [TrackerOutput]) {
        if position.hasReceiverDate {
            let offset = agent.timeEstimator.add(
                position.fix, toleranceSeconds: configuration.filter.maximumAgeSeconds)
            if let offset {
                agent.clock.setOffset(milliseconds: offset)
                agent.timeEstimator = ReceiverTimeEstimator()
                // This position has its date and is handled as a normal fix.
                return
            }
        }
        guard !isSuspended else { return }
        agent.positions.notePosition(at: position.fix.received)
        if !isPrivate { timeline.events.gapEvidence.reason = .clockUntrusted }
        emitUndated(recent.undated.append(position), into: &outputs)
    }

    /// Records the waiting positions without a date, after a restart of the machine.
    /// - Returns: whether there were any.
    mutating func abandonUndatedFixes(into outputs: inout [TrackerOutput]) -> Bool {
        agent.timeEstimator = ReceiverTimeEstimator()
        guard hasUndatedFixes else { return false }
        emitUndated(recent.undated.takeAll(), into: &outputs)
        return true
    }

    /// Counts the distance along the waiting positions and discards them: they must not be published.
    public mutating func discardUndatedFixes() {
        var outputs: [TrackerOutput] = []
        let owesOpening = agent.owesOpening
        emitUndated(recent.undated.takeAll(), into: &outputs)
        // The discarded record had the cause of the next one.
        agent.owesOpening = owesOpening
    }

    /// Counts the distance along positions that cannot be dated, and records as many of them as of a moving vehicle.
    /// Intervals between them are known; only their absolute time is not.
    private mutating func emitUndated(_ positions: [ReceivedFix], into outputs: inout [TrackerOutput]) {
        var filter = FixFilter()
        var sampler = LocationSampler()
        for position in positions {
            var fix = position.fix
            fix.timestamp = agent.clock.time(of: fix.received)
            let verdict = filter.evaluate(
                fix, desiredAccuracyMeters: configuration.desiredAccuracyMeters,
                limits: FixFilter.StepLimits(rule: configuration.filter))
            if case .rejected = verdict { continue }
            if let fresh = recent.frozenFixes.filter(fix) { odometer.advance(to: fresh) }
            guard sampler.isDue(fix, isMoving: true, rule: configuration.sampling) else { continue }
            sampler.markRecorded(fix, at: fix.timestamp)
            var location = location(of: fix, cause: nil, ageMilliseconds: 0)
            location.isClockUntrusted = true
            location.isMoving = (fix.speedMetersPerSecond ?? 0) > configuration.stationary.speedMetersPerSecond
            location.activity = .unknown
            emit(location, into: &outputs)
        }
    }
}
