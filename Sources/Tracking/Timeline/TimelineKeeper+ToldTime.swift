import CivilTime

/// Time that runs backwards.
extension TimelineKeeper {
    /// Whether the date has not yet come to where the absence that lasts began: until it does nothing is told.
    func waits(for fix: Fix) -> Bool {
        guard let open else { return false }
        return open.phase.isOffTheGrid && fix.timestamp <= open.start
    }

    /// Whether a fix is of a time that is not behind the last one.
    ///
    /// An absence is gone on from by a fix of its own time, and waits for that; but not for one that is far off.
    func hasSteppedBack(to fix: Fix, rules: TimelineRules) -> Bool {
        guard let open else { return false }
        let last = lastFix?.timestamp ?? open.start
        if open.phase.isOffTheGrid || lastFix == nil {
            return open.start.seconds(since: fix.timestamp) > rules.timeline.gapSeconds
                && told.isOpen(at: fix.timestamp)
        }
        return fix.timestamp < last
    }

    /// A fix has come of a time that was told already.
    mutating func meetToldTime(
        at fix: Fix, gapSeconds gap: Double, rules: TimelineRules, into log: inout TimelineLog
    ) {
        guard let ahead = told.ahead, fix.timestamp >= ahead.start else { return }
        if let open, let lastTime, gap > rules.timeline.gapSeconds, !open.phase.isOffTheGrid {
            goOffTheGrid(
                absenceReason(until: fix.timestamp, rules), at: max(lastTime, open.start), rules: rules, into: &log)
        }
        meetToldTime(at: fix.timestamp, rules: rules, into: &log)
    }

    /// Time has come to what was told of it: that stays, and the timeline goes on behind it.
    mutating func meetToldTime(at now: Timestamp, rules: TimelineRules, into log: inout TimelineLog) {
        guard let ahead = told.ahead, now >= ahead.start, let open else { return }
        if open.phase.isOffTheGrid {
            endAbsence(at: ahead.start, meters: lastMeters, rules: rules, into: &log)
        } else {
            close(at: ahead.start, meters: lastMeters, rules: rules, into: &log)
        }
        told.ahead = nil
        forgetPlaceAndLine()
        begin(.offTheGrid(.clockUntrusted), at: ahead.end, meters: lastMeters, into: &log)
    }

    /// The receiver's date was found to be an earlier one: what was said stays said.
    ///
    /// Where nothing was told of the time that it is, the timeline goes on there; else it waits until the date has come to
    /// where it was.
    mutating func stepBack(
        to fix: Fix, odometerMeters: Double, rules: TimelineRules, into log: inout TimelineLog
    ) {
        takeBackDeparture(into: &log)
        settleEnded(rules: rules, into: &log)
        guard let open else { return }
        let last = max(lastFix?.timestamp ?? open.start, open.start)
        if fix.timestamp > open.start {
            close(at: fix.timestamp, meters: lastMeters, rules: rules, into: &log)
            return beginAnew(at: fix, odometerMeters: odometerMeters, into: &log)
        }
        if last.seconds(since: fix.timestamp) <= rules.timeline.gapSeconds {
            // A step of some seconds, as when a receiver hears of a leap second: the event has just begun.
            self.open?.phase = .unknown
            forgetPlaceAndLine()
            lastMeters = odometerMeters
            publish(into: &log)
            return
        }
        close(at: last, meters: lastMeters, rules: rules, into: &log)
        lastMeters = odometerMeters
        forgetPlaceAndLine()
        let isOpen = told.isOpen(at: fix.timestamp)
        let end = leaveToldTime(at: last, for: fix.timestamp, rules: rules, into: &log)
        begin(
            isOpen ? .unknown : .offTheGrid(.clockUntrusted), at: isOpen ? fix.timestamp : end, meters: odometerMeters,
            into: &log)
    }

    /// Settles what is told before an earlier time is gone on from.
    /// - Returns: where all that is told ends.
    private mutating func leaveToldTime(
        at last: Timestamp, for time: Timestamp, rules: TimelineRules, into log: inout TimelineLog
    ) -> Timestamp {
        let end = fillUpToToldTime(from: last, rules: rules, into: &log)
        guard let begin = told.begin, told.isOpen(at: time) else {
            endLeap(rules: rules, into: &log)
            return end
        }
        if let leap = told.leap, time > leap.event.start {
            told.ahead = ToldTime.Stretch(start: leap.end, end: end)
            told.leap?.end = time
            told.leap?.event.phase = .offTheGrid(.clockUntrusted)
        } else {
            told.ahead = ToldTime.Stretch(start: begin, end: end)
            told.begin = nil
        }
        endLeap(rules: rules, into: &log)
        return end
    }

    /// Nothing is known of the time up to what was told of it.
    /// - Returns: where that ends.
    mutating func fillUpToToldTime(
        from last: Timestamp, rules: TimelineRules, into log: inout TimelineLog
    ) -> Timestamp {
        guard let ahead = told.ahead else { return last }
        told.ahead = nil
        openEvent(.offTheGrid(.clockUntrusted), at: last, meters: lastMeters)
        close(at: ahead.start, meters: lastMeters, rules: rules, into: &log)
        return ahead.end
    }

    // MARK: Leaps

    /// The absence that lasts ends; not for good where the date has leapt.
    mutating func endAbsence(
        at end: Timestamp, meters: Double, rules: TimelineRules, into log: inout TimelineLog
    ) {
        guard let absence = open, end.seconds(since: absence.start) > ToldTime.leapSeconds else {
            return close(at: end, meters: meters, rules: rules, into: &log)
        }
        endLeap(rules: rules, into: &log)
        partPause(before: end, rules: rules, into: &log)
        publish(into: &log)
        log.events[log.events.count - 1].end = end
        told.leap = open.map { ToldTime.Leap(event: $0, end: end) }
        open = nil
    }

    /// The absence before the last leap is what it is held for.
    mutating func endLeap(rules: TimelineRules, into log: inout TimelineLog) {
        guard let leap = told.leap else { return }
        let lasting = open
        open = leap.event
        close(at: leap.end, meters: leap.event.startMeters, rules: rules, into: &log)
        open = lasting
        told.leap = nil
    }
}
