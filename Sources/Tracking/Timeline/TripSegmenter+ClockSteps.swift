import CivilTime
import OdographModel

/// Time that runs backwards.
extension TripSegmenter {
    /// Whether the date has not yet come to where the absence that lasts began: until it does nothing is told.
    func isBeforeOpenGap(_ fix: Fix) -> Bool {
        guard let open else { return false }
        return open.phase.isOffTheGrid && fix.timestamp <= open.start
    }

    /// Whether a fix is of a time that is not behind the last one.
    ///
    /// An absence is gone on from by a fix of its own time, and waits for that; but not for one that is far off.
    func hasClockSteppedBack(to fix: Fix, rules: SegmentationRules) -> Bool {
        guard let open else { return false }
        let last = lastFix?.timestamp ?? open.start
        if open.phase.isOffTheGrid || lastFix == nil {
            return open.start.seconds(since: fix.timestamp) > rules.timeline.gapSeconds
                && published.isUnpublished(at: fix.timestamp)
        }
        return fix.timestamp < last
    }

    /// A fix has come of a time that was told already.
    mutating func skipPublishedInterval(
        at fix: Fix, gapSeconds gap: Double, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        guard let ahead = published.upcoming, fix.timestamp >= ahead.start else { return }
        if let open, let lastTime, gap > rules.timeline.gapSeconds, !open.phase.isOffTheGrid {
            goOffTheGrid(
                gapReason(until: fix.timestamp, rules), at: max(lastTime, open.start), rules: rules, into: &log)
        }
        skipPublishedInterval(at: fix.timestamp, rules: rules, into: &log)
    }

    /// Time has come to what was told of it: that stays, and the timeline goes on behind it.
    mutating func skipPublishedInterval(at now: Timestamp, rules: SegmentationRules, into log: inout RevisionBatch) {
        guard let ahead = published.upcoming, now >= ahead.start, let open else { return }
        if open.phase.isOffTheGrid {
            endGap(at: ahead.start, meters: lastMeters, rules: rules, into: &log)
        } else {
            finalizeOpenEvent(at: ahead.start, meters: lastMeters, rules: rules, into: &log)
        }
        published.upcoming = nil
        clearStopAndWaypoints()
        openAndEmitEvent(.offTheGrid(.clockUntrusted), at: ahead.end, meters: lastMeters, into: &log)
    }

    /// The receiver's date was found to be an earlier one: what was said stays said.
    ///
    /// Where nothing was told of the time that it is, the timeline goes on there; else it waits until the date has come to
    /// where it was.
    mutating func handleClockStepBack(
        to fix: Fix, odometerMeters: Double, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        withdrawTentativeDeparture(into: &log)
        finalizeEndedEvent(rules: rules, into: &log)
        guard let open else { return }
        let last = max(lastFix?.timestamp ?? open.start, open.start)
        if fix.timestamp > open.start {
            finalizeOpenEvent(at: fix.timestamp, meters: lastMeters, rules: rules, into: &log)
            return openUnknownEvent(at: fix, odometerMeters: odometerMeters, into: &log)
        }
        if last.seconds(since: fix.timestamp) <= rules.timeline.gapSeconds {
            // A step of some seconds, as when a receiver hears of a leap second: the event has just begun.
            self.open?.phase = .unknown
            clearStopAndWaypoints()
            lastMeters = odometerMeters
            emitRevision(into: &log)
            return
        }
        finalizeOpenEvent(at: last, meters: lastMeters, rules: rules, into: &log)
        lastMeters = odometerMeters
        clearStopAndWaypoints()
        let isOpen = published.isUnpublished(at: fix.timestamp)
        let end = recordPublishedInterval(upTo: last, for: fix.timestamp, rules: rules, into: &log)
        openAndEmitEvent(
            isOpen ? .unknown : .offTheGrid(.clockUntrusted), at: isOpen ? fix.timestamp : end, meters: odometerMeters,
            into: &log)
    }

    /// Settles what is told before an earlier time is gone on from.
    /// - Returns: where all that is told ends.
    private mutating func recordPublishedInterval(
        upTo last: Timestamp, for time: Timestamp, rules: SegmentationRules, into log: inout RevisionBatch
    ) -> Timestamp {
        let end = fillGapToPublishedInterval(from: last, rules: rules, into: &log)
        guard let begin = published.currentStart, published.isUnpublished(at: time) else {
            finalizeClockJump(rules: rules, into: &log)
            return end
        }
        if let leap = published.clockJump, time > leap.event.start {
            published.upcoming = PublishedInterval.TimeSpan(start: leap.end, end: end)
            published.clockJump?.end = time
            published.clockJump?.event.phase = .offTheGrid(.clockUntrusted)
        } else {
            published.upcoming = PublishedInterval.TimeSpan(start: begin, end: end)
            published.currentStart = nil
        }
        finalizeClockJump(rules: rules, into: &log)
        return end
    }

    /// Nothing is known of the time up to what was told of it.
    /// - Returns: where that ends.
    mutating func fillGapToPublishedInterval(
        from last: Timestamp, rules: SegmentationRules, into log: inout RevisionBatch
    ) -> Timestamp {
        guard let ahead = published.upcoming else { return last }
        published.upcoming = nil
        openEvent(.offTheGrid(.clockUntrusted), at: last, meters: lastMeters)
        finalizeOpenEvent(at: ahead.start, meters: lastMeters, rules: rules, into: &log)
        return ahead.end
    }

    // MARK: Leaps

    /// The absence that lasts ends; not for good where the date has leapt.
    mutating func endGap(
        at end: Timestamp, meters: Double, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        guard let absence = open, end.seconds(since: absence.start) > PublishedInterval.longestPlausibleGapSeconds
        else {
            return finalizeOpenEvent(at: end, meters: meters, rules: rules, into: &log)
        }
        finalizeClockJump(rules: rules, into: &log)
        splitOffAgentDowntime(before: end, rules: rules, into: &log)
        emitRevision(into: &log)
        log.events[log.events.count - 1].end = end
        published.clockJump = open.map { PublishedInterval.ClockJump(event: $0, end: end) }
        open = nil
    }

    /// The absence before the last leap is what it is held for.
    mutating func finalizeClockJump(rules: SegmentationRules, into log: inout RevisionBatch) {
        guard let leap = published.clockJump else { return }
        let lasting = open
        open = leap.event
        finalizeOpenEvent(at: leap.end, meters: leap.event.startMeters, rules: rules, into: &log)
        open = lasting
        published.clockJump = nil
    }
}
