import CivilTime
import Geodesy

/// Keeps the timeline: one event that lasts, and the revisions of it and of those that it ends.
struct TimelineKeeper: Equatable, Sendable, Codable {
    /// What the identifiers of the events from here on are made from, with a counter.
    var seed: TrackerSeed
    var eventCount: UInt64 = 0
    var open: OpenEvent?
    /// What it ended, as long as that may turn out to go on.
    var ended: EndedEvent?
    /// What was told of times that the open event does not follow.
    var told = ToldTime()
    /// The place that the way which lasts began at, in its first leg.
    var left: Coordinate?
    /// What the last leg on wheels was made by.
    var lastWheels: Carrier?
    /// The place of the stay, while the open event is a stay or may become one.
    var stay: RobustCenter?
    /// How well the receiver has seen the sky there.
    var sky: StaySky?
    var line = WaypointLine()
    /// Whether the movement was one when it was last looked at.
    var isUnderWay = false
    /// The last fix that the timeline knows.
    var lastFix: Fix?
    /// When that was: it stays known where the position was forgotten.
    var lastTime: Timestamp?
    /// The odometer's total there, metres.
    var lastMeters = 0.0
    /// The largest update time given out.
    var lastUpdate: Timestamp?
    /// When the open event was last published.
    var lastPublished: Timestamp?
    /// Why there would be no positions, if there are none.
    var absence: OffTheGridReason?
    /// That the agent was off since the last position.
    var pause: AgentPause?
    /// Put on every event.
    var tag: String?
    /// Whether no event is to say where it was.
    var isPrivate = false
    /// What the receiver is mounted in, where that is known: by the rules at the last fix, so that revisions between fixes
    /// say the same.
    var vehicle: TransportMode?

    init(seed: TrackerSeed) {
        self.seed = seed
    }

    // MARK: Fixes

    /// A believed fix.
    /// - Parameters:
    ///   - movement: the movement, when this fix completed an epoch of it.
    ///   - rules: what is in force.
    mutating func take(
        _ fix: Fix, odometerMeters: Double, movement: MovementTracker?, rules: TimelineRules,
        into log: inout TimelineLog
    ) {
        vehicle = rules.timeline.vehicle
        if open == nil { begin(.unknown, at: fix.timestamp, meters: odometerMeters, into: &log) }
        if waits(for: fix) {
            lastMeters = odometerMeters
            return
        }
        absence = nil
        pause = nil
        keepStay(fix)
        keepLine(fix, rules: rules)
        lastFix = fix
        lastTime = fix.timestamp
        lastMeters = odometerMeters
        guard let movement else { return }
        let history = MovementHistory(movement, rules: rules)
        isUnderWay = history.movements.last.map { !$0.isHalt } ?? false
        learnSky(history, rules: rules)
        settleEndedIfCertain(rules: rules, into: &log)
        switch open?.phase {
        case .transport:
            if weighDeparture(history, fix: fix, rules: rules, into: &log) { return }
            if endTransport(history, fix: fix, rules: rules, into: &log) { return }
            if history.hasJustGoneOn { tellOutings(history, rules: rules, into: &log) }
            rideOff(history, rules: rules, into: &log)
            changeCarrier(history, rules: rules, into: &log)
        case .stationary, .unknown:
            if driveAway(history, fix: fix, rules: rules, into: &log) { return }
            endStay(history, fix: fix, rules: rules, into: &log)
        case .offTheGrid, nil: break
        }
    }

    /// At rest only what may turn out to be the beginning of a way is kept.
    private mutating func keepLine(_ fix: Fix, rules: TimelineRules) {
        guard !isPrivate else { return }
        let recent = rules.longestWaitSeconds
        if open?.phase == .transport || isUnderWay {
            line.append(fix, rule: rules.timeline, recentSeconds: recent)
        } else {
            line.appendAtRest(fix, rule: rules.timeline, recentSeconds: recent)
        }
        if open?.phase != .transport { line.cut(before: fix.timestamp.advanced(bySeconds: -recent)) }
    }

    /// A way out must not pull the centre along.
    private mutating func keepStay(_ fix: Fix) {
        guard let open else { return }
        if let place = doubtedStay {
            let place = kept(place, fix)
            ended?.stay = place
        } else if open.phase == .stationary || open.phase == .unknown {
            let place = stay.map { kept($0, fix) } ?? RobustCenter(at: fix)
            stay = place
        }
    }

    private func kept(_ place: RobustCenter, _ fix: Fix) -> RobustCenter {
        var place = place
        let isOutside = place.coordinate.distanceMeters(to: fix.coordinate) > place.coreMeters(for: fix)
        if !(isOutside && isUnderWay) { place.add(fix) }
        return place
    }

    // MARK: Changes

    /// The way since an instant by the odometer, which counts none inside the noise of a stay.
    func odometerMeters(since begin: Timestamp, _ history: MovementHistory) -> Double {
        lastMeters - (history.odometerMeters(at: begin) ?? lastMeters)
    }

    /// A way ends where the vehicle has stood for long enough, back-dated to when it had arrived.
    /// - Parameter interval: how long is long enough, seconds; nil for the rule's.
    /// - Returns: whether the way has ended.
    mutating func endTransport(
        _ history: MovementHistory, fix: Fix, afterSeconds interval: Double? = nil, rules: TimelineRules,
        into log: inout TimelineLog
    ) -> Bool {
        guard let event = open,
            let begin = history.standStart(
                intervalSeconds: interval ?? rules.intervalSeconds, accuracyMeters: fix.assumedAccuracyMeters,
                after: event.decided)
        else { return false }
        // The odometer says some seconds late that an anchor was left: that still belongs to the way.
        let meters =
            history.odometerMeters(at: begin.advanced(bySeconds: StandGate.farSeconds + EpochBuilder.seconds))
            ?? lastMeters
        let center = history.center(from: begin, noise: fix)
        var leg = event
        var place = center
        if begin.seconds(since: event.start) > 0,
            !isErrand(event, until: begin, meters: meters, at: center, fix: fix, rules: rules)
        {
            leg = endWay(event, at: begin, meters: meters, history: history, rules: rules, into: &log)
        } else if let before = ended?.stay, isSame(before, center, fix: fix) {
            withdraw(into: &log)
            place = before
        } else {
            settleEnded(rules: rules, into: &log)
            open?.phase = .stationary
        }
        // Some steps beside the vehicle are not what it came by.
        let isLeg = begin.seconds(since: leg.start) >= rules.shortestLastLegSeconds
        open?.cameBy = isLeg ? leg.carrier : leg.cameBy ?? leg.carrier
        left = nil
        stay = place
        line.cut(before: begin)
        publish(into: &log)
        return true
    }

    /// A way that was one ends in a stay; on wheels it stays provisional, since that may turn out to be a halt.
    /// - Returns: its last leg.
    private mutating func endWay(
        _ event: OpenEvent, at end: Timestamp, meters: Double, history: MovementHistory, rules: TimelineRules,
        into log: inout TimelineLog
    ) -> OpenEvent {
        splitLastLeg(history, before: end, rules: rules, into: &log)
        let leg = open ?? event
        settleWheels(history, until: end, rules: rules)
        if leg.carrier?.isOnWheels == true {
            endForNow(at: end, meters: meters, rules: rules, into: &log)
        } else {
            close(at: end, meters: meters, rules: rules, into: &log)
        }
        openEvent(.stationary, at: end, meters: meters)
        return leg
    }

    /// Whether two stays are one: the centre of the other is a position of the first.
    private func isSame(_ place: RobustCenter, _ other: RobustCenter, fix: Fix) -> Bool {
        place.coordinate.distanceMeters(to: other.coordinate) <= place.coreMeters(for: fix)
    }

    /// Some minutes on foot that end where they began are steps about the place, and no trip; so are those that lead away
    /// from it slower than anybody walks, and those that the odometer takes for noise.
    private func isErrand(
        _ event: OpenEvent, until end: Timestamp, meters: Double, at center: RobustCenter, fix: Fix,
        rules: TimelineRules
    ) -> Bool {
        guard event.carrier == .foot, let left else { return false }
        let seconds = end.seconds(since: event.start)
        let distance = left.distanceMeters(to: center.coordinate)
        guard seconds < rules.timeline.shortestStopSeconds, distance <= Self.samePlaceMeters else { return false }
        let radius = rules.figures.stayRadiusMeters(accuracyMeters: fix.assumedAccuracyMeters)
        return distance <= radius || distance < rules.slowWalkMetersPerSecond * seconds
            || meters - event.startMeters < rules.shortestEndedLegMeters
    }
}
