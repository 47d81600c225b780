import CivilTime

/// Positions from before the time was known.
///
/// They wait, and get their date from the monotonic clock once the time is known: from a receiver whose dates agree, or
/// from the machine when its clock is set. If the machine was turned off before, their date stays unknown. Then they
/// are recorded with the earliest possible time and a flag.
extension Tracker {
    /// Whether positions wait for their date.
    public var hasUndatedFixes: Bool { !recent.undated.isEmpty }

    /// Returns a position with its date: the receiver's, else the clock's.
    /// - Returns: nil while the time is unknown. Then the position is an ``TrackerInput/undated(_:)`` input.
    public func dated(_ position: ReceivedFix) -> Fix? {
        guard agent.clock.isTimeKnown(at: position.fix.received) else { return nil }
        guard !position.hasReceiverDate else { return position.fix }
        var fix = position.fix
        fix.timestamp = agent.clock.time(of: fix.received)
        return fix
    }

    /// Removes the waiting positions and returns them dated, once the time of a moment is known. Handle them as fixes,
    /// in this order, before any later input, and then save the whole state.
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
                // The position has its date now and becomes a fix.
                return
            }
        }
        guard !isSuspended else { return }
        if !isPrivate { timeline.markClockUntrusted() }
        emitUndated(recent.undated.append(position), into: &outputs)
    }

    /// Records the waiting positions without their date, because the machine was off and it stays unknown.
    /// - Returns: whether there were any.
    mutating func abandonUndatedFixes(into outputs: inout [TrackerOutput]) -> Bool {
        agent.timeEstimator = ReceiverTimeEstimator()
        guard hasUndatedFixes else { return false }
        emitUndated(recent.undated.takeAll(), into: &outputs)
        return true
    }

    /// Adds the waiting positions to the odometer and erases them, because they must not be emitted.
    public mutating func discardUndatedFixes() {
        var outputs: [TrackerOutput] = []
        emitUndated(recent.undated.takeAll(), into: &outputs)
    }

    /// Records undated positions at the sampling rate of a moving vehicle, and adds all of them to the odometer: their
    /// intervals are known.
    private mutating func emitUndated(_ positions: [ReceivedFix], into outputs: inout [TrackerOutput]) {
        var filter = FixFilter()
        var sampler = LocationSampler()
        for position in positions {
            var fix = position.fix
            fix.timestamp = agent.clock.time(of: fix.received)
            let verdict = filter.evaluate(
                fix, desiredAccuracyMeters: configuration.desiredAccuracyMeters, rule: configuration.filter)
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
