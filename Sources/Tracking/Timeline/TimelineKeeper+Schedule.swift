import CivilTime

/// The schedule's openings and closings.
extension TimelineKeeper {
    /// Off schedule and still tracked, or back on schedule: what lasts ends here with its own revision and goes on as
    /// another event, so that none is half the one and half the other.
    /// - Parameter change: what makes the next event another one.
    mutating func split(
        at now: Timestamp, rules: TimelineRules, into log: inout TimelineLog,
        change: (inout TimelineKeeper) -> Void
    ) {
        takeBackDeparture(into: &log)
        meetToldTime(at: now, rules: rules, into: &log)
        guard let event = open else { return change(&self) }
        let begin = max(now, event.start)
        close(at: begin, meters: lastMeters, rules: rules, into: &log)
        line = WaypointLine()
        change(&self)
        self.begin(event.phase, at: begin, meters: lastMeters, into: &log)
        open?.carrier = event.carrier
    }

    /// Tracking is on again after a time of which nothing is told.
    /// - Parameter change: what makes the next event another one.
    mutating func reopen(
        at now: Timestamp, rules: TimelineRules, into log: inout TimelineLog,
        change: (inout TimelineKeeper) -> Void
    ) {
        absence = nil
        meetToldTime(at: now, rules: rules, into: &log)
        guard let event = open else {
            forgetPositions()
            return change(&self)
        }
        let begin = max(now, event.start)
        close(at: begin, meters: lastMeters, rules: rules, into: &log)
        forgetPositions()
        change(&self)
        self.begin(.unknown, at: begin, meters: lastMeters, into: &log)
    }

    /// Forgets where the vehicle was, and nothing else.
    mutating func forgetPositions() {
        if open?.isDoubted == true {
            open?.endDoubt()
            open?.phase = .stationary
        }
        ended?.stay = nil
        ended?.line = WaypointLine()
        forgetPlaceAndLine()
        lastFix = nil
        left = nil
    }
}
