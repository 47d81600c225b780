import CivilTime

/// Positions from before the time was known.
///
/// They wait, and are dated by the monotonic clock once somebody has told the time: a receiver whose dates agree, or the
/// machine when its clock is set. Where the machine was turned off before that, nobody can date them any more: they are
/// told with the earliest time that it can have been, and say so.
extension Tracker {
    /// Whether positions wait for their date.
    public var hasUndated: Bool { undated.map { !$0.isEmpty } ?? false }

    /// A position as it is to be handled: a date that the receiver says counts, another is told by the clock.
    /// - Returns: nil where nobody knows the time. Then the position is an ``TrackerInput/undated(_:)`` input.
    public func dated(_ position: UndatedFix) -> Fix? {
        guard clock.isKnown(at: position.fix.received) else { return nil }
        guard !position.hasReceiverDate else { return position.fix }
        var fix = position.fix
        fix.timestamp = clock.time(of: fix.received)
        return fix
    }

    /// Hands over the positions that waited, dated, once the time of a moment is known; they are to be handled as fixes, in this
    /// order, before anything that has happened since. The state is to be saved whole then.
    public mutating func takeUndated(at moment: Moment) -> [Fix] {
        guard let waiting = undated?.waiting, !waiting.isEmpty else { return [] }
        clock.note(moment)
        guard clock.isKnown(at: moment) else { return [] }
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
    mutating func keep(_ position: UndatedFix, into outputs: inout [TrackerOutput]) {
        if position.hasReceiverDate {
            var agreement = agreement ?? TimeAgreement()
            let offset = agreement.offer(
                position.fix, toleranceSeconds: configuration.filter.maximumAgeSeconds)
            self.agreement = agreement
            if let offset {
                clock.settle(offsetMilliseconds: offset)
                self.agreement = nil
                // It has its date, and goes the way of every fix.
                return
            }
        }
        guard !isResting else { return }
        if !isPrivate { timeline.distrustClock() }
        var waiting = undated ?? UndatedFixes()
        let leaving = waiting.add(position)
        undated = waiting
        tellUndated(leaving, into: &outputs)
    }

    /// The machine was off: what waited can no longer be dated.
    /// - Returns: whether there was anything.
    mutating func giveUpDating(into outputs: inout [TrackerOutput]) -> Bool {
        agreement = nil
        guard let waiting = undated?.waiting, !waiting.isEmpty else { return false }
        undated = nil
        tellUndated(waiting, into: &outputs)
        return true
    }

    /// Counts the way along the positions that wait for their date, and forgets them: they must not be told.
    public mutating func forgetUndated() {
        let waiting = undated?.waiting ?? []
        undated = nil
        var outputs: [TrackerOutput] = []
        tellUndated(waiting, into: &outputs)
    }

    /// Records positions that nobody can date, as many as would be recorded of a vehicle that moves, and counts the way
    /// along all of them: how long it took is known, and only not when that was.
    private mutating func tellUndated(_ positions: [UndatedFix], into outputs: inout [TrackerOutput]) {
        var filter = FixFilter()
        var sampler = LocationSampler()
        for position in positions {
            var fix = position.fix
            fix.timestamp = clock.time(of: fix.received)
            let verdict = filter.judge(
                fix, desiredAccuracyMeters: configuration.desiredAccuracyMeters, rule: configuration.filter)
            if case .rejected = verdict { continue }
            if let fresh = hold.fresh(fix) { odometer.advance(to: fresh) }
            guard sampler.isDue(fix, isMoving: true, rule: configuration.sampling) else { continue }
            sampler.recorded(fix, at: fix.timestamp)
            var location = location(of: fix, cause: nil, ageMilliseconds: 0)
            location.isClockUntrusted = true
            location.isMoving = (fix.speedMetersPerSecond ?? 0) > configuration.stationary.speedMetersPerSecond
            location.activity = .unknown
            tell(location, into: &outputs)
        }
    }
}
