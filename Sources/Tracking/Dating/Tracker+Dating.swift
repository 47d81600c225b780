import CivilTime

/// Positions from before the time was known.
///
/// They wait, and are dated by the monotonic clock once somebody has told the time: a receiver whose dates agree, or the
/// machine when its clock is set. Where the machine was turned off before that, nobody can date them any more: they are
/// told with the earliest time that it can have been, and say so.
extension Tracker {
    /// Whether positions wait for their date.
    public var hasUndatedFixes: Bool { undated.map { !$0.isEmpty } ?? false }

    /// A position as it is to be handled: a date that the receiver says counts, another is told by the clock.
    /// - Returns: nil where nobody knows the time. Then the position is an ``TrackerInput/undated(_:)`` input.
    public func dated(_ position: ReceivedFix) -> Fix? {
        guard clock.isTimeKnown(at: position.fix.received) else { return nil }
        guard !position.hasReceiverDate else { return position.fix }
        var fix = position.fix
        fix.timestamp = clock.time(of: fix.received)
        return fix
    }

    /// Hands over the positions that waited, dated, once the time of a moment is known; they are to be handled as fixes, in this
    /// order, before anything that has happened since. The state is to be saved whole then.
    public mutating func takeDatedFixes(at moment: ClockReading) -> [Fix] {
        guard let waiting = undated?.fixes, !waiting.isEmpty else { return [] }
        clock.observe(moment)
        guard clock.isTimeKnown(at: moment) else { return [] }
        undated = nil
        return waiting.map { position in
            var fix = position.fix
            let time = clock.time(of: fix.received)
            let isRight =
                position.hasReceiverDate
                && abs(fix.timestamp.seconds(since: time)) <= configuration.filter.maximumAgeSeconds
            if !isRight { fix.timestamp = time }
            return fix
        }
    }

    /// A position came of which nobody knows the date.
    mutating func handleUndated(_ position: ReceivedFix, into outputs: inout [TrackerOutput]) {
        if position.hasReceiverDate {
            var agreement = agreement ?? ReceiverTimeEstimator()
            let offset = agreement.add(
                position.fix, toleranceSeconds: configuration.filter.maximumAgeSeconds)
            self.agreement = agreement
            if let offset {
                clock.setOffset(milliseconds: offset)
                self.agreement = nil
                // It has its date, and goes the way of every fix.
                return
            }
        }
        guard !isSuspended else { return }
        if !isPrivate { timeline.events.gapEvidence.reason = .clockUntrusted }
        var waiting = undated ?? UndatedFixQueue()
        let leaving = waiting.append(position)
        undated = waiting
        emitUndated(leaving, into: &outputs)
    }

    /// The machine was off: what waited can no longer be dated.
    /// - Returns: whether there was anything.
    mutating func abandonUndatedFixes(into outputs: inout [TrackerOutput]) -> Bool {
        agreement = nil
        guard let waiting = undated?.fixes, !waiting.isEmpty else { return false }
        undated = nil
        emitUndated(waiting, into: &outputs)
        return true
    }

    /// Counts the way along the positions that wait for their date, and forgets them: they must not be told.
    public mutating func discardUndatedFixes() {
        let waiting = undated?.fixes ?? []
        undated = nil
        var outputs: [TrackerOutput] = []
        emitUndated(waiting, into: &outputs)
    }

    /// Records positions that nobody can date, as many as would be recorded of a vehicle that moves, and counts the way
    /// along all of them: how long it took is known, and only not when that was.
    private mutating func emitUndated(_ positions: [ReceivedFix], into outputs: inout [TrackerOutput]) {
        var filter = FixFilter()
        var sampler = LocationSampler()
        for position in positions {
            var fix = position.fix
            fix.timestamp = clock.time(of: fix.received)
            let verdict = filter.evaluate(
                fix, desiredAccuracyMeters: configuration.desiredAccuracyMeters, rule: configuration.filter)
            if case .rejected = verdict { continue }
            if let fresh = hold.filter(fix) { odometer.advance(to: fresh) }
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
