import CivilTime
import Geodesy

/// How stays end.
///
/// A departure is told as soon as it looks like one, or as somebody comes out of a building, and is doubted until the
/// vehicle is clearly out of the noise around the stay. One that was none is withdrawn, and the stay goes on.
extension TimelineKeeper {
    /// A stay ends when the vehicle has left the noise around it, back-dated to when it set out; what is not known yet
    /// becomes a stay when it has stood for long enough.
    mutating func endStay(
        _ history: MovementHistory, fix: Fix, rules: TimelineRules, into log: inout TimelineLog
    ) {
        guard let event = open, let stay else { return }
        if let begin = departure(from: stay, history, fix: fix, rules: rules) {
            startTransport(at: begin, history: history, rules: rules, into: &log)
            return
        }
        if let begin = earlyDeparture(from: stay, history, fix: fix, rules: rules) {
            doubt(stay, leftAt: begin, history: history, rules: rules, into: &log)
            return
        }
        if let begin = comingOut(history, fix: fix, rules: rules), let indoors = history.usualPlace(before: begin) {
            doubt(stay, leftAt: begin, history: history, rules: rules, into: &log)
            open?.indoors = indoors
            return
        }
        guard event.phase == .unknown,
            let begin = history.standStart(
                intervalSeconds: rules.intervalSeconds, accuracyMeters: stay.radiusMeters(for: fix), after: event.start)
        else { return }
        if isWay(event, until: begin, history, rules: rules) || !history.rides(after: event.start).isEmpty {
            startTransport(at: event.start, history: history, rules: rules, into: &log)
            _ = endTransport(history, fix: fix, rules: rules, into: &log)
        } else {
            open?.phase = .stationary
            publish(into: &log)
        }
    }

    /// Whether what came before a first stand was a way, and no hop of a position that is another one since.
    private func isWay(_ event: OpenEvent, until end: Timestamp, _ history: MovementHistory, rules: TimelineRules)
        -> Bool
    {
        end.seconds(since: event.start) >= rules.shortestLegSeconds
            && (history.odometerMeters(at: end) ?? lastMeters) - event.startMeters >= rules.shortestEndedLegMeters
    }

    /// Tells a departure that may be taken back.
    private mutating func doubt(
        _ stay: RobustCenter, leftAt begin: Timestamp, history: MovementHistory, rules: TimelineRules,
        into log: inout TimelineLog
    ) {
        let cameBy = open?.cameBy
        startTransport(at: begin, isDoubted: true, history: history, rules: rules, into: &log)
        // Should it become a stay: who came on wheels has stood for longer than at a halt.
        open?.cameBy = cameBy?.isOnWheels == true ? nil : cameBy
    }

    /// Decides on a departure that is doubted.
    /// - Returns: whether there is no way yet that could end or change: it is still doubted, or was none.
    mutating func weighDeparture(
        _ history: MovementHistory, fix: Fix, rules: TimelineRules, into log: inout TimelineLog
    ) -> Bool {
        guard let event = open, let place = doubtedStay else { return false }
        if let begin = departure(from: place, history, fix: fix, rules: rules) {
            believe(event, leftAt: begin, history: history, rules: rules, into: &log)
            return false
        }
        guard let newest = history.epochs.last else { return true }
        let isInside = history.isBack(at: place.coordinate, radiusMeters: place.coreMeters(for: fix))
        let hasStayed =
            event.indoors.map { staysOutside(event, indoors: $0, isInside: isInside, history, rules: rules) }
            ?? (isInside || history.restSeconds >= rules.longestWaitSeconds)
        let longest = max(rules.timeline.shortestStopSeconds, rules.longestWaitSeconds)
        guard hasStayed || newest.time.seconds(since: event.start) >= longest else { return true }
        if isInside {
            takeBackDeparture(into: &log)
        } else {
            // It stays, but somewhere else about the place.
            settleEnded(rules: rules, into: &log)
            open?.phase = .stationary
            open?.endDoubt()
            left = nil
            stay = history.center(from: event.start, noise: fix)
            publish(into: &log)
        }
        line.cut(before: event.start)
        return true
    }

    /// A departure that was doubted was one: of the way that was told, or of a later one.
    private mutating func believe(
        _ event: OpenEvent, leftAt begin: Timestamp, history: MovementHistory, rules: TimelineRules,
        into log: inout TimelineLog
    ) {
        guard begin.seconds(since: event.start) < rules.shortestLegSeconds else {
            // Until then it was about the place.
            withdraw(into: &log)
            startTransport(at: begin, history: history, rules: rules, into: &log)
            return
        }
        open?.endDoubt()
        let carrier = history.mainCarrier(from: event.start, to: history.epochs.last?.time ?? begin)
        guard carrier != event.carrier else { return }
        open?.carrier = carrier
        publish(into: &log)
    }

    /// When the way began, of a vehicle that is clearly out of the noise around a stay.
    private func departure(
        from place: RobustCenter, _ history: MovementHistory, fix: Fix, rules: TimelineRules
    ) -> Timestamp? {
        guard let event = open, history.isClearlyUnderWay,
            place.coordinate.distanceMeters(to: fix.coordinate)
                > place.radiusMeters(for: fix) + DepartureFigures.clearanceMeters,
            let begin = history.departure(
                from: place.coordinate, radiusMeters: place.coreMeters(for: fix),
                longestWaitSeconds: rules.longestWaitSeconds, mayComeOut: event.mayComeOut, after: event.decided),
            odometerMeters(since: begin, history) > DepartureFigures.leastClearanceMeters
                || history.hasDriven(from: begin, to: fix.timestamp)
        else { return nil }
        return begin
    }

    /// When the way began, of somebody who looks like leaving.
    ///
    /// Not of a vehicle that came a moment ago: whether it halts in traffic is told by how it goes on. Nor by a receiver
    /// that does not say how wrong it can be.
    private func earlyDeparture(
        from place: RobustCenter, _ history: MovementHistory, fix: Fix, rules: TimelineRules
    ) -> Timestamp? {
        guard let event = open, fix.accuracyMeters != nil else { return nil }
        let core = place.coreMeters(for: fix)
        guard
            history.isGoingAway(
                from: place.coordinate, coreMeters: core, radiusMeters: place.radiusMeters(for: fix)),
            let begin = history.departure(
                from: place.coordinate, radiusMeters: core, longestWaitSeconds: rules.longestWaitSeconds,
                mayComeOut: event.mayComeOut, after: event.decided)
        else { return nil }
        let stood = begin.seconds(since: event.decided)
        let least = event.cameBy?.isOnWheels == true ? rules.timeline.shortestStopSeconds : 0
        return stood >= max(least, rules.shortestLegSeconds) ? begin : nil
    }

    /// What lasted ends, or turns out to have been part of it, and a way begins.
    /// - Parameter isDoubted: whether it may be taken back.
    mutating func startTransport(
        at begin: Timestamp, isDoubted: Bool = false, history: MovementHistory, rules: TimelineRules,
        into log: inout TimelineLog
    ) {
        guard let event = open else { return }
        // What counted for the way before counts once.
        let meters = max(history.odometerMeters(at: begin) ?? lastMeters, event.startMeters)
        let stood = begin.seconds(since: event.start)
        let wheels = wheels(goingOnAt: begin, afterHaltIn: event, history: history, rules: rules)
        let isHalt = wheels != nil
        if isHalt, ended?.event.phase == .transport {
            withdraw(into: &log)
            publish(into: &log)
            return
        }
        let carrier = wheels ?? history.mainCarrier(from: begin, to: history.epochs.last?.time ?? begin)
        if isHalt || event.phase == .unknown && stood < rules.shortestLegSeconds {
            // The event keeps its identifier and gets its true kind.
            open?.phase = .transport
        } else {
            if event.phase == .unknown { open?.phase = .stationary }
            if isDoubted || carrier?.isOnWheels != true {
                endForNow(at: begin, meters: meters, rules: rules, into: &log)
            } else {
                close(at: begin, meters: meters, rules: rules, into: &log)
            }
            openEvent(.transport, at: begin, meters: meters)
        }
        left = isHalt ? nil : stay?.coordinate
        stay = nil
        if let start = open?.start { line.cut(before: start) }
        open?.carrier = carrier
        open?.isDoubted = isDoubted && ended?.stay != nil
        publish(into: &log)
    }

    /// What goes on on wheels after a stand that was too short for a stop and in which nobody got out; nil where it was no
    /// such halt.
    private func wheels(
        goingOnAt begin: Timestamp, afterHaltIn event: OpenEvent, history: MovementHistory, rules: TimelineRules
    ) -> Carrier? {
        guard event.phase == .stationary, event.cameBy?.isOnWheels == true,
            begin.seconds(since: event.start) < rules.timeline.shortestStopSeconds,
            // Who rolled on at a walk to the next light got neither out nor in.
            let newest = history.trailingCarrier(after: begin)?.carrier, newest.isOnWheels,
            history.outings(from: event.start, to: begin).isEmpty
        else { return nil }
        return newest
    }
}
