import CivilTime
import Geodesy

/// The legs of a journey: one transport event for each means.
extension TimelineKeeper {
    /// The vehicle goes on after a slow stretch. Who was out of it and came back was on foot meanwhile; only now is it
    /// certain, since a queue would have moved on.
    mutating func tellOutings(_ history: MovementHistory, rules: TimelineRules, into log: inout TimelineLog) {
        guard let event = open else { return }
        let stretches = history.slowStretches(after: event.decided)
        switch event.carrier {
        case .vehicle, .bicycle:
            for outing in stretches.flatMap(history.outings(in:)) where outing.leave > event.start {
                changeLeg(to: .foot, at: outing.leave, history: history, rules: rules, into: &log)
                // Without speeds the odometer takes it for a stand, as it should for the vehicle; who was out of it moved.
                let counted =
                    (history.odometerMeters(at: outing.back) ?? lastMeters) - (open?.startMeters ?? lastMeters)
                open?.startMeters -= max(history.wayMeters(from: outing.leave, to: outing.back) - counted, 0)
                changeLeg(to: event.carrier, at: outing.back, history: history, rules: rules, into: &log)
                open?.fastSeconds = event.fastSeconds
                open?.railSeconds = event.railSeconds
            }
        case .some(.none), .foot, .running, nil: return
        }
        publish(into: &log)
    }

    /// Nothing more will be known: who has stood for half of the interval has arrived, and who is out of the vehicle is on
    /// foot.
    mutating func settleLastLeg(_ history: MovementHistory, rules: TimelineRules, into log: inout TimelineLog) {
        guard open?.phase == .transport, let lastFix else { return }
        if endTransport(history, fix: lastFix, afterSeconds: rules.intervalSeconds / 2, rules: rules, into: &log) {
            return
        }
        endOnFoot(history, rules: rules, into: &log)
        settleWheels(history, until: lastFix.timestamp, rules: rules)
    }

    private mutating func endOnFoot(_ history: MovementHistory, rules: TimelineRules, into log: inout TimelineLog) {
        guard let event = open, event.phase == .transport, event.carrier?.isOnWheels == true,
            let leave = history.lastLeave(after: event.decided), leave > event.start
        else { return }
        changeLeg(to: .foot, at: leave, history: history, rules: rules, into: &log)
    }

    /// Ends the leg that lasts, and begins another.
    mutating func changeLeg(
        to carrier: Carrier?, at time: Timestamp, history: MovementHistory, rules: TimelineRules,
        into log: inout TimelineLog
    ) {
        let meters = history.odometerMeters(at: time) ?? lastMeters
        settleWheels(history, until: time, rules: rules)
        let before = open?.carrier
        close(at: time, meters: meters, rules: rules, into: &log)
        openEvent(.transport, at: time, meters: meters)
        open?.cameBy = before
        open?.carrier = carrier
    }

    /// The walk from the vehicle to where one stays is a leg even if it is short: what comes after it makes it certain.
    mutating func splitLastLeg(
        _ history: MovementHistory, before end: Timestamp, rules: TimelineRules, into log: inout TimelineLog
    ) {
        guard let event = open, let trailing = history.trailingCarrier(after: event.start, before: end),
            trailing.carrier != event.carrier, event.carrier != nil,
            trailing.start.seconds(since: event.start) >= rules.shortestLegSeconds,
            end.seconds(since: trailing.start) >= rules.shortestLastLegSeconds,
            let from = history.odometerMeters(at: trailing.start), let to = history.odometerMeters(at: end),
            to - from >= rules.shortestEndedLegMeters
        else { return }
        changeLeg(to: trailing.carrier, at: trailing.start, history: history, rules: rules, into: &log)
    }

    /// Another carrier for long enough is another leg; a first leg that was too short was a wrong guess.
    mutating func changeCarrier(
        _ history: MovementHistory, rules: TimelineRules, into log: inout TimelineLog
    ) {
        guard let event = open, let newest = history.epochs.last else { return }
        let seconds = newest.time.seconds(since: history.start(of: history.epochs.count - 1))
        if newest.speedMetersPerSecond > TransportMode.roadLimitMetersPerSecond { open?.railSeconds += seconds }
        if newest.speedMetersPerSecond > TransportMode.cycleLimitMetersPerSecond { open?.fastSeconds += seconds }
        guard let trailing = history.trailingCarrier(after: event.start) else { return }
        guard let carrier = event.carrier else {
            open?.carrier = trailing.carrier
            return
        }
        guard trailing.carrier != carrier, isUnderWay,
            newest.time.seconds(since: trailing.start)
                >= (carrier == .foot ? rules.shortestLegSeconds : rules.certainLegSeconds),
            odometerMeters(since: trailing.start, history) >= rules.shortestLegMeters
        else { return }
        if carrier != .foot && trailing.carrier != .foot {
            guard wasAllAlong(trailing, in: event, until: newest.time, rules: rules) else { return }
        } else if trailing.start.seconds(since: event.start) >= rules.shortestLegSeconds
            || history.hasDriven(from: event.start, to: trailing.start)
        {
            // Who gets out stands first.
            let begin =
                trailing.carrier == .foot
                ? history.restStart(near: trailing.start, after: event.start) : trailing.start
            changeLeg(to: trailing.carrier, at: begin, history: history, rules: rules, into: &log)
            line.cut(before: begin)
        }
        open?.carrier = trailing.carrier
        publish(into: &log)
    }

    /// Whether a leg that looks now as if it was made by other wheels was made by them all along.
    ///
    /// Nobody changes from a bicycle to a car without a step on foot, so it was one of them all along: a vehicle if it was
    /// fast, since vehicles can be slow, and what it looks like now if not.
    private func wasAllAlong(
        _ trailing: (carrier: Carrier, start: Timestamp), in event: OpenEvent, until now: Timestamp,
        rules: TimelineRules
    ) -> Bool {
        let wasFast = event.fastSeconds >= rules.shortestFastSeconds
        if wasFast { return event.carrier != .vehicle }
        let isMostOfIt = 2 * trailing.start.seconds(since: event.start) < now.seconds(since: event.start)
        return trailing.carrier != .vehicle || isMostOfIt
    }
}
