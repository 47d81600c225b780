import CivilTime
import Geodesy
import OdographModel

/// Time without positions.
extension TripSegmenter {
    /// A vehicle that is found this near to where it was lost has stood there, metres, beside the receiver's accuracy: half
    /// of the stationary rule's box by default.
    static let samePlaceMeters = 75.0

    /// When the open event has been without positions for too long; nil where that does not matter.
    func gapDue(rules: SegmentationRules) -> Timestamp? {
        guard let open, let lastTime else { return nil }
        switch open.phase {
        case .transport, .unknown:
            return max(lastTime, open.start).advanced(bySeconds: rules.timeline.gapSeconds)
        case .offTheGrid(.powerOff): return agentDowntime?.end?.advanced(bySeconds: rules.timeline.gapSeconds)
        case .stationary, .offTheGrid: return nil
        }
    }

    /// When the next revision of the open event is due; nil for never.
    func revisionDue(rules: SegmentationRules) -> Timestamp? {
        guard let lastPublished, let interval = revisionIntervalSeconds(rules) else { return nil }
        return lastPublished.advanced(bySeconds: interval)
    }

    /// The last instant until now at which a revision was due, and the event lasted: a machine that slept through several,
    /// and a date that leaps over years, make one.
    func lastRevisionDue(from due: Timestamp, until now: Timestamp, rules: SegmentationRules) -> Timestamp {
        guard let interval = revisionIntervalSeconds(rules) else { return due }
        let now = gapDue(rules: rules).map { max(min(now, $0), due) } ?? now
        return due.advanced(bySeconds: (now.seconds(since: due) / interval).rounded(.down) * interval)
    }

    private func revisionIntervalSeconds(_ rules: SegmentationRules) -> Double? {
        switch open?.phase {
        case .transport: rules.timeline.updateIntervalSeconds
        case .stationary, .unknown, .offTheGrid:
            rules.heartbeatSeconds > 0 ? max(rules.heartbeatSeconds, rules.timeline.updateIntervalSeconds) : nil
        case nil: nil
        }
    }

    /// The source of positions came or went: remembered, in case that none come.
    mutating func setSourceState(_ state: SourceState) {
        switch state {
        case .available: lastGapReason = lastGapReason ?? .noFix
        case .noFix: lastGapReason = lastGapReason == .clockUntrusted ? lastGapReason : .noFix
        case .lost: lastGapReason = .sourceLost
        }
    }

    /// Positions came whose time cannot be right: if no others come, that is why.
    mutating func markClockUntrusted() {
        lastGapReason = .clockUntrusted
    }

    /// The positions have failed to come.
    mutating func handleGapTimeout(rules: SegmentationRules, into log: inout RevisionBatch) {
        guard let open, let lastTime else { return }
        if open.isTentative {
            // A stay does not end because the receiver is silent.
            withdrawTentativeDeparture(into: &log)
            return
        }
        if open.phase.isOffTheGrid {
            // The agent was off, and is not any more.
            self.open?.phase = .offTheGrid(lastGapReason ?? .noFix)
            emitRevision(into: &log)
            return
        }
        goOffTheGrid(gapReason(rules), at: max(lastTime, open.start), rules: rules, into: &log)
    }

    /// A fix has come after a long time without: says what the time between was.
    /// - Returns: whether the movement before it has nothing to do with it.
    mutating func endGapIfNeeded(
        at fix: Fix, odometerMeters: Double, rules: SegmentationRules, into log: inout RevisionBatch
    ) -> Bool {
        let gap = gapSeconds(until: fix)
        if gap > rules.timeline.gapSeconds { withdrawTentativeDeparture(into: &log) }
        skipPublishedInterval(at: fix, gapSeconds: gap, rules: rules, into: &log)
        guard let open else { return false }
        if hasClockSteppedBack(to: fix, rules: rules) {
            handleClockStepBack(to: fix, odometerMeters: odometerMeters, rules: rules, into: &log)
            return true
        }
        guard let lastTime, !isBeforeOpenGap(fix), gap > rules.timeline.gapSeconds || open.phase.isOffTheGrid else {
            return false
        }
        let isSamePlace = gap <= PublishedInterval.longestPlausibleGapSeconds && isAtLastPosition(fix)
        if open.phase == .stationary, isSamePlace { return false }
        if !open.phase.isOffTheGrid {
            goOffTheGrid(
                gapReason(until: fix.timestamp, rules), at: max(lastTime, open.start), rules: rules, into: &log)
        }
        if isSamePlace, case .offTheGrid(let reason)? = self.open?.phase, reason.mayHideStop,
            gap >= rules.intervalSeconds
        {
            // Both ends at one place: it stood there. The event keeps its identifier and gets its true kind.
            self.open?.phase = .stationary
            stopCenter = RobustCenter(at: fix)
            emitRevision(into: &log)
            return true
        }
        endGap(at: fix.timestamp, meters: odometerMeters, rules: rules, into: &log)
        openUnknownEvent(at: fix, odometerMeters: odometerMeters, into: &log)
        return true
    }

    /// Tracking pauses, for a reason that is known.
    mutating func suspend(
        _ reason: OffTheGridReason, at now: Timestamp, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        skipPublishedInterval(at: now, rules: rules, into: &log)
        guard let open else { return }
        let now = max(now, open.start)
        if open.phase.isOffTheGrid {
            finalizeOpenEvent(at: now, meters: lastMeters, rules: rules, into: &log)
            openAndEmitEvent(.offTheGrid(reason), at: now, meters: lastMeters, into: &log)
        } else {
            goOffTheGrid(reason, at: now, rules: rules, into: &log)
        }
    }

    /// Nothing more will be known: the open event ends with the last fix, an absence ends now.
    mutating func finalize(
        at now: Timestamp, movement: MovementTracker, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        withdrawTentativeDeparture(into: &log)
        skipPublishedInterval(at: open?.phase.isOffTheGrid == true ? now : lastTime ?? now, rules: rules, into: &log)
        guard open != nil else { return }
        finalizeLastSegment(MovementHistory(movement, rules: rules), rules: rules, into: &log)
        guard let open else { return }
        let end = max(open.phase.isOffTheGrid ? now : lastTime ?? now, open.start)
        finalizeOpenEvent(at: end, meters: lastMeters, rules: rules, into: &log)
        _ = fillGapToPublishedInterval(from: end, rules: rules, into: &log)
        finalizeClockJump(rules: rules, into: &log)
    }

    /// The open event ends, and an absence begins.
    mutating func goOffTheGrid(
        _ reason: OffTheGridReason, at end: Timestamp, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        if case .unknown = open?.phase, open?.start == end {
            // Nothing was ever known: the event itself becomes the absence.
            open?.phase = .offTheGrid(reason)
            emitRevision(into: &log)
            return
        }
        finalizeOpenEvent(at: end, meters: lastMeters, rules: rules, into: &log)
        clearStopAndWaypoints()
        openAndEmitEvent(.offTheGrid(reason), at: end, meters: lastMeters, into: &log)
    }

    /// Positions are known again, and nothing else.
    mutating func openUnknownEvent(at fix: Fix, odometerMeters: Double, into log: inout RevisionBatch) {
        clearStopAndWaypoints()
        lastMeters = odometerMeters
        openAndEmitEvent(.unknown, at: fix.timestamp, meters: odometerMeters, into: &log)
    }

    /// How long there were no positions, seconds. Where the last one was forgotten the event may have begun since, and the
    /// date may not have come to there yet.
    private func gapSeconds(until fix: Fix) -> Double {
        guard let lastTime else { return 0 }
        return fix.timestamp.seconds(since: lastFix == nil ? max(lastTime, open?.start ?? lastTime) : lastTime)
    }

    private func isAtLastPosition(_ fix: Fix) -> Bool {
        guard let place = stopCenter?.coordinate ?? lastFix?.coordinate else { return false }
        return place.distanceMeters(to: fix.coordinate) <= Self.samePlaceMeters + fix.assumedAccuracyMeters
    }
}

extension OpenEvent.Phase {
    var isOffTheGrid: Bool { if case .offTheGrid = self { true } else { false } }
}

extension OffTheGridReason {
    /// Whether an absence for this reason can turn out to have been a stay; what nobody was to know stays unknown.
    fileprivate var mayHideStop: Bool {
        switch self {
        case .noFix, .sourceLost, .powerOff: true
        case .offSchedule, .disabled, .clockUntrusted: false
        }
    }
}
