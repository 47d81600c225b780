import CivilTime
import Geodesy

/// Time without positions.
extension TimelineKeeper {
    /// A vehicle that is found this near to where it was lost has stood there, metres, beside the receiver's accuracy: half
    /// of the stationary rule's box by default.
    static let samePlaceMeters = 75.0

    /// When the open event has been without positions for too long; nil where that does not matter.
    func gapDue(rules: TimelineRules) -> Timestamp? {
        guard let open, let lastTime else { return nil }
        switch open.phase {
        case .transport, .unknown:
            return max(lastTime, open.start).advanced(bySeconds: rules.timeline.gapSeconds)
        case .offTheGrid(.powerOff): return pause?.end?.advanced(bySeconds: rules.timeline.gapSeconds)
        case .stationary, .offTheGrid: return nil
        }
    }

    /// When the next revision of the open event is due; nil for never.
    func revisionDue(rules: TimelineRules) -> Timestamp? {
        guard let lastPublished, let interval = revisionSeconds(rules) else { return nil }
        return lastPublished.advanced(bySeconds: interval)
    }

    /// The last instant until now at which a revision was due, and the event lasted: a machine that slept through several,
    /// and a date that leaps over years, make one.
    func lastRevisionDue(from due: Timestamp, until now: Timestamp, rules: TimelineRules) -> Timestamp {
        guard let interval = revisionSeconds(rules) else { return due }
        let now = gapDue(rules: rules).map { max(min(now, $0), due) } ?? now
        return due.advanced(bySeconds: (now.seconds(since: due) / interval).rounded(.down) * interval)
    }

    private func revisionSeconds(_ rules: TimelineRules) -> Double? {
        switch open?.phase {
        case .transport: rules.timeline.updateIntervalSeconds
        case .stationary, .unknown, .offTheGrid:
            rules.heartbeatSeconds > 0 ? max(rules.heartbeatSeconds, rules.timeline.updateIntervalSeconds) : nil
        case nil: nil
        }
    }

    /// The source of positions came or went: remembered, in case that none come.
    mutating func source(became state: SourceState) {
        switch state {
        case .available: absence = absence ?? .noFix
        case .noFix: absence = absence == .clockUntrusted ? absence : .noFix
        case .lost: absence = .sourceLost
        }
    }

    /// Positions came whose time cannot be right: if no others come, that is why.
    mutating func distrustClock() {
        absence = .clockUntrusted
    }

    /// The positions have failed to come.
    mutating func lose(rules: TimelineRules, into log: inout TimelineLog) {
        guard let open, let lastTime else { return }
        if open.isDoubted {
            // A stay does not end because the receiver is silent.
            takeBackDeparture(into: &log)
            return
        }
        if open.phase.isOffTheGrid {
            // The agent was off, and is not any more.
            self.open?.phase = .offTheGrid(absence ?? .noFix)
            publish(into: &log)
            return
        }
        goOffTheGrid(absenceReason(rules), at: max(lastTime, open.start), rules: rules, into: &log)
    }

    /// A fix has come after a long time without: says what the time between was.
    /// - Returns: whether the movement before it has nothing to do with it.
    mutating func bridge(
        to fix: Fix, odometerMeters: Double, rules: TimelineRules, into log: inout TimelineLog
    ) -> Bool {
        let gap = secondsWithout(until: fix)
        if gap > rules.timeline.gapSeconds { takeBackDeparture(into: &log) }
        meetToldTime(at: fix, gapSeconds: gap, rules: rules, into: &log)
        guard let open else { return false }
        if hasSteppedBack(to: fix, rules: rules) {
            stepBack(to: fix, odometerMeters: odometerMeters, rules: rules, into: &log)
            return true
        }
        guard let lastTime, !waits(for: fix), gap > rules.timeline.gapSeconds || open.phase.isOffTheGrid else {
            return false
        }
        let isSamePlace = gap <= ToldTime.leapSeconds && isSamePlace(fix)
        if open.phase == .stationary, isSamePlace { return false }
        if !open.phase.isOffTheGrid {
            goOffTheGrid(
                absenceReason(until: fix.timestamp, rules), at: max(lastTime, open.start), rules: rules, into: &log)
        }
        if isSamePlace, case .offTheGrid(let reason)? = self.open?.phase, reason.leavesPlaceOpen,
            gap >= rules.intervalSeconds
        {
            // Both ends at one place: it stood there. The event keeps its identifier and gets its true kind.
            self.open?.phase = .stationary
            stay = RobustCenter(at: fix)
            publish(into: &log)
            return true
        }
        endAbsence(at: fix.timestamp, meters: odometerMeters, rules: rules, into: &log)
        beginAnew(at: fix, odometerMeters: odometerMeters, into: &log)
        return true
    }

    /// Tracking pauses, for a reason that is known.
    mutating func interrupt(
        _ reason: OffTheGridReason, at now: Timestamp, rules: TimelineRules, into log: inout TimelineLog
    ) {
        meetToldTime(at: now, rules: rules, into: &log)
        guard let open else { return }
        let now = max(now, open.start)
        if open.phase.isOffTheGrid {
            close(at: now, meters: lastMeters, rules: rules, into: &log)
            begin(.offTheGrid(reason), at: now, meters: lastMeters, into: &log)
        } else {
            goOffTheGrid(reason, at: now, rules: rules, into: &log)
        }
    }

    /// Nothing more will be known: the open event ends with the last fix, an absence ends now.
    mutating func end(
        at now: Timestamp, movement: MovementTracker, rules: TimelineRules, into log: inout TimelineLog
    ) {
        takeBackDeparture(into: &log)
        meetToldTime(at: open?.phase.isOffTheGrid == true ? now : lastTime ?? now, rules: rules, into: &log)
        guard open != nil else { return }
        settleLastLeg(MovementHistory(movement, rules: rules), rules: rules, into: &log)
        guard let open else { return }
        let end = max(open.phase.isOffTheGrid ? now : lastTime ?? now, open.start)
        close(at: end, meters: lastMeters, rules: rules, into: &log)
        _ = fillUpToToldTime(from: end, rules: rules, into: &log)
        endLeap(rules: rules, into: &log)
    }

    /// The open event ends, and an absence begins.
    mutating func goOffTheGrid(
        _ reason: OffTheGridReason, at end: Timestamp, rules: TimelineRules, into log: inout TimelineLog
    ) {
        if case .unknown = open?.phase, open?.start == end {
            // Nothing was ever known: the event itself becomes the absence.
            open?.phase = .offTheGrid(reason)
            publish(into: &log)
            return
        }
        close(at: end, meters: lastMeters, rules: rules, into: &log)
        forgetPlaceAndLine()
        begin(.offTheGrid(reason), at: end, meters: lastMeters, into: &log)
    }

    /// Positions are known again, and nothing else.
    mutating func beginAnew(at fix: Fix, odometerMeters: Double, into log: inout TimelineLog) {
        forgetPlaceAndLine()
        lastMeters = odometerMeters
        begin(.unknown, at: fix.timestamp, meters: odometerMeters, into: &log)
    }

    /// How long there were no positions, seconds. Where the last one was forgotten the event may have begun since, and the
    /// date may not have come to there yet.
    private func secondsWithout(until fix: Fix) -> Double {
        guard let lastTime else { return 0 }
        return fix.timestamp.seconds(since: lastFix == nil ? max(lastTime, open?.start ?? lastTime) : lastTime)
    }

    private func isSamePlace(_ fix: Fix) -> Bool {
        guard let place = stay?.coordinate ?? lastFix?.coordinate else { return false }
        return place.distanceMeters(to: fix.coordinate) <= Self.samePlaceMeters + fix.assumedAccuracyMeters
    }
}

extension OpenEvent.Phase {
    var isOffTheGrid: Bool { if case .offTheGrid = self { true } else { false } }
}

extension OffTheGridReason {
    /// Whether an absence for this reason can turn out to have been a stay; what nobody was to know stays unknown.
    fileprivate var leavesPlaceOpen: Bool {
        switch self {
        case .noFix, .sourceLost, .powerOff: true
        case .offSchedule, .disabled, .clockUntrusted: false
        }
    }
}
