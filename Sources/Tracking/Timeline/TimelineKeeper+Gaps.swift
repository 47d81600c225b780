import CivilTime
import Geodesy

/// Time without positions.
extension TimelineKeeper {
    /// A vehicle that is found this near to where it was lost has stood there, metres: half of the stationary rule's
    /// box, beside the receiver's accuracy.
    static let samePlaceMeters = 75.0

    /// When the open event has been without positions for too long; nil where that does not matter.
    func gapDue(rules: TimelineRules) -> Timestamp? {
        guard let open, let lastFix else { return nil }
        switch open.phase {
        case .transport, .unknown:
            return max(lastFix.timestamp, open.start).advanced(bySeconds: rules.timeline.gapSeconds)
        case .stationary, .offTheGrid: return nil
        }
    }

    /// When the next revision of the open event is due.
    func revisionDue(rules: TimelineRules) -> Timestamp? {
        guard let lastPublished, let interval = revisionSeconds(rules) else { return nil }
        return lastPublished.advanced(bySeconds: interval)
    }

    /// The last instant until now at which one was due, and the event lasted: a machine that slept through several, and a
    /// date that leaps over years, make one.
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
        guard absence != .powerOff else { return }
        switch state {
        case .available: absence = absence ?? .noFix
        case .noFix: absence = absence == .clockUntrusted ? absence : .noFix
        case .lost: absence = .sourceLost
        }
    }

    /// Positions came whose time cannot be right: if no others come, that is why.
    mutating func distrustClock() {
        guard absence != .powerOff else { return }
        absence = .clockUntrusted
    }

    /// The agent or the machine was off.
    /// - Parameter wasClockUntrusted: whether there were positions before that nobody can date.
    mutating func restarted(wasClockUntrusted: Bool) {
        absence = wasClockUntrusted ? .clockUntrusted : .powerOff
        if wasClockUntrusted, open?.phase == .offTheGrid(.powerOff) { open?.phase = .offTheGrid(.clockUntrusted) }
    }

    /// The positions have failed to come.
    mutating func lose(rules: TimelineRules, into log: inout TimelineLog) {
        guard let open, let lastFix else { return }
        if open.perhapsLeft != nil {
            // A stay does not end because the receiver is silent.
            takeBackDeparture()
            publish(into: &log)
            return
        }
        let end = max(lastFix.timestamp, open.start)
        goOffTheGrid(absence ?? .noFix, at: end, rules: rules, into: &log)
    }

    /// A fix has come after a long time without: says what the time between was.
    /// - Returns: whether the movement before it has nothing to do with it.
    mutating func bridge(
        to fix: Fix, odometerMeters: Double, rules: TimelineRules, into log: inout TimelineLog
    ) -> Bool {
        let gap = lastFix.map { fix.timestamp.seconds(since: $0.timestamp) } ?? 0
        if gap > rules.timeline.gapSeconds { takeBackDeparture() }
        meetToldTime(at: fix, gapSeconds: gap, rules: rules, into: &log)
        guard let open else { return false }
        if hasSteppedBack(to: fix, rules: rules) {
            stepBack(to: fix, odometerMeters: odometerMeters, rules: rules, into: &log)
            return true
        }
        guard !waits(for: fix), gap > rules.timeline.gapSeconds || open.phase.isOffTheGrid else { return false }
        guard let lastFix else {
            // Nobody knows where it was before.
            endAbsence(at: fix.timestamp, meters: odometerMeters, rules: rules, into: &log)
            restart(at: fix, odometerMeters: odometerMeters, into: &log)
            return true
        }
        let isSamePlace = gap <= ToldTime.leapSeconds && isSamePlace(fix, after: lastFix)
        switch open.phase {
        case .stationary:
            if isSamePlace { return false }
            goOffTheGrid(absence ?? .noFix, at: max(lastFix.timestamp, open.start), rules: rules, into: &log)
        case .transport, .unknown:
            goOffTheGrid(absence ?? .noFix, at: max(lastFix.timestamp, open.start), rules: rules, into: &log)
        case .offTheGrid: break
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
        restart(at: fix, odometerMeters: odometerMeters, into: &log)
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
        at now: Timestamp, movement tracker: MovementTracker?, rules: TimelineRules, into log: inout TimelineLog
    ) {
        takeBackDeparture()
        meetToldTime(at: open?.phase.isOffTheGrid == true ? now : lastFix?.timestamp ?? now, rules: rules, into: &log)
        guard open != nil else { return }
        if let tracker { settle(MovementHistory(tracker, figures: rules.figures), rules: rules, into: &log) }
        guard let open else { return }
        let end = max(open.phase.isOffTheGrid ? now : lastFix?.timestamp ?? now, open.start)
        close(at: end, meters: lastMeters, rules: rules, into: &log)
        _ = fillUpToToldTime(from: end, rules: rules, into: &log)
        endLeap(rules: rules, into: &log)
    }

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
        stay = nil
        line = WaypointLine()
        begin(.offTheGrid(reason), at: end, meters: lastMeters, into: &log)
    }

    mutating func restart(at fix: Fix, odometerMeters: Double, into log: inout TimelineLog) {
        stay = nil
        line = WaypointLine()
        lastMeters = odometerMeters
        begin(.unknown, at: fix.timestamp, meters: odometerMeters, into: &log)
    }

    private func isSamePlace(_ fix: Fix, after last: Fix) -> Bool {
        let place = stay?.coordinate ?? last.coordinate
        let accuracy = fix.accuracyMeters ?? FixNoise.assumedAccuracyMeters
        return place.distanceMeters(to: fix.coordinate) <= Self.samePlaceMeters + accuracy
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
