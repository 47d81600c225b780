import CivilTime
import Geodesy
import OdographModel

/// Keeps the timeline: one event that lasts, and the revisions of it and of those that it ends.
struct TripSegmenter: Equatable, Sendable, Codable {
    /// What the identifiers of the events from here on are made from, with a counter.
    var seed: TrackerSeed
    var eventCount: UInt64 = 0
    var open: OpenEvent?
    /// What it ended, as long as that may turn out to go on.
    var endedEvent: ProvisionallyEndedEvent?
    /// What was told of times that the open event does not follow.
    var published = PublishedInterval()
    /// The place that the way which lasts began at, in its first leg.
    var departedFrom: Coordinate?
    /// What the last leg on wheels was made by.
    var lastVehicleMode: MovementMode?
    /// The place of the stay, while the open event is a stay or may become one.
    var stopCenter: RobustCenter?
    /// How well the receiver has seen the sky there.
    var skyVisibility: SkyVisibility?
    var polyline = WaypointPolyline()
    /// Whether the movement was one when it was last looked at.
    var isMoving = false
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
    var lastGapReason: OffTheGridReason?
    /// That the agent was off since the last position.
    var agentDowntime: AgentDowntime?
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
    mutating func update(
        with fix: Fix, odometerMeters: Double, movement: MovementTracker?, rules: SegmentationRules,
        into log: inout RevisionBatch
    ) {
        vehicle = rules.timeline.vehicle
        if open == nil { openAndEmitEvent(.unknown, at: fix.timestamp, meters: odometerMeters, into: &log) }
        if isBeforeOpenGap(fix) {
            lastMeters = odometerMeters
            return
        }
        lastGapReason = nil
        agentDowntime = nil
        updateStopCenter(with: fix)
        appendWaypoint(fix, rules: rules)
        lastFix = fix
        lastTime = fix.timestamp
        lastMeters = odometerMeters
        guard let movement else { return }
        let history = MovementHistory(movement, rules: rules)
        isMoving = history.states.last.map { !$0.isStationary } ?? false
        updateSkyVisibility(history, rules: rules)
        finalizeEndedEventIfCertain(rules: rules, into: &log)
        switch open?.phase {
        case .transport:
            if resolveTentativeDeparture(history, fix: fix, rules: rules, into: &log) { return }
            if detectArrival(history, fix: fix, rules: rules, into: &log) { return }
            if history.hasJustResumedDriving { emitWalksFromVehicle(history, rules: rules, into: &log) }
            detectBoarding(history, rules: rules, into: &log)
            detectModeChange(history, rules: rules, into: &log)
        case .stationary, .unknown:
            if detectDriveOff(history, fix: fix, rules: rules, into: &log) { return }
            detectDeparture(history, fix: fix, rules: rules, into: &log)
        case .offTheGrid, nil: break
        }
    }

    /// At rest only what may turn out to be the beginning of a way is kept.
    private mutating func appendWaypoint(_ fix: Fix, rules: SegmentationRules) {
        guard !isPrivate else { return }
        let recent = rules.longestWaitSeconds
        if open?.phase == .transport || isMoving {
            polyline.append(fix, rule: rules.timeline, recentSeconds: recent)
        } else {
            polyline.appendWhileStationary(fix, rule: rules.timeline, recentSeconds: recent)
        }
        if open?.phase != .transport { polyline.removePoints(before: fix.timestamp.advanced(bySeconds: -recent)) }
    }

    /// A way out must not pull the centre along.
    private mutating func updateStopCenter(with fix: Fix) {
        guard let open else { return }
        if let place = tentativelyLeftStop {
            let place = updated(place, with: fix)
            endedEvent?.stopCenter = place
        } else if open.phase == .stationary || open.phase == .unknown {
            let place = stopCenter.map { updated($0, with: fix) } ?? RobustCenter(at: fix)
            stopCenter = place
        }
    }

    private func updated(_ place: RobustCenter, with fix: Fix) -> RobustCenter {
        var place = place
        let isOutside = place.coordinate.distanceMeters(to: fix.coordinate) > place.coreRadiusMeters(for: fix)
        if !(isOutside && isMoving) { place.add(fix) }
        return place
    }

    // MARK: Changes

    /// The way since an instant by the odometer, which counts none inside the noise of a stay.
    func distanceMeters(since begin: Timestamp, in history: MovementHistory) -> Double {
        lastMeters - (history.odometerMeters(at: begin) ?? lastMeters)
    }

    /// A way ends where the vehicle has stood for long enough, back-dated to when it had arrived.
    /// - Parameter interval: how long is long enough, seconds; nil for the rule's.
    /// - Returns: whether the way has ended.
    mutating func detectArrival(
        _ history: MovementHistory, fix: Fix, afterSeconds interval: Double? = nil, rules: SegmentationRules,
        into log: inout RevisionBatch
    ) -> Bool {
        guard let event = open,
            let begin = history.stopStart(
                intervalSeconds: interval ?? rules.intervalSeconds, accuracyMeters: fix.assumedAccuracyMeters,
                after: event.settledUntil)
        else { return false }
        // The odometer says some seconds late that an anchor was left: that still belongs to the way.
        let meters =
            history.odometerMeters(
                at: begin.advanced(bySeconds: StopAnchor.farConfirmationSeconds + MotionWindowBuilder.lengthSeconds))
            ?? lastMeters
        let center = history.center(from: begin, noise: fix)
        var leg = event
        var place = center
        if begin.seconds(since: event.start) > 0,
            !isWalkWithinStop(event, until: begin, meters: meters, at: center, fix: fix, rules: rules)
        {
            leg = endTrip(event, at: begin, meters: meters, history: history, rules: rules, into: &log)
        } else if let before = endedEvent?.stopCenter, isSameStop(before, center, fix: fix) {
            withdrawOpenEvent(into: &log)
            place = before
        } else {
            finalizeEndedEvent(rules: rules, into: &log)
            open?.phase = .stationary
        }
        // Some steps beside the vehicle are not what it came by.
        let isLeg = begin.seconds(since: leg.start) >= rules.shortestLastSegmentSeconds
        open?.arrivalMode = isLeg ? leg.mode : leg.arrivalMode ?? leg.mode
        departedFrom = nil
        stopCenter = place
        polyline.removePoints(before: begin)
        emitRevision(into: &log)
        return true
    }

    /// A way that was one ends in a stay; on wheels it stays provisional, since that may turn out to be a halt.
    /// - Returns: its last leg.
    private mutating func endTrip(
        _ event: OpenEvent, at end: Timestamp, meters: Double, history: MovementHistory, rules: SegmentationRules,
        into log: inout RevisionBatch
    ) -> OpenEvent {
        splitLastSegment(history, before: end, rules: rules, into: &log)
        let leg = open ?? event
        resolveVehicleOrBicycle(history, until: end, rules: rules)
        if leg.mode?.isOnWheels == true {
            endProvisionally(at: end, meters: meters, rules: rules, into: &log)
        } else {
            finalizeOpenEvent(at: end, meters: meters, rules: rules, into: &log)
        }
        openEvent(.stationary, at: end, meters: meters)
        return leg
    }

    /// Whether two stays are one: the centre of the other is a position of the first.
    private func isSameStop(_ place: RobustCenter, _ other: RobustCenter, fix: Fix) -> Bool {
        place.coordinate.distanceMeters(to: other.coordinate) <= place.coreRadiusMeters(for: fix)
    }

    /// Some minutes on foot that end where they began are steps about the place, and no trip; so are those that lead away
    /// from it slower than anybody walks, and those that the odometer takes for noise.
    private func isWalkWithinStop(
        _ event: OpenEvent, until end: Timestamp, meters: Double, at center: RobustCenter, fix: Fix,
        rules: SegmentationRules
    ) -> Bool {
        guard event.mode == .foot, let departedFrom else { return false }
        let seconds = end.seconds(since: event.start)
        let distance = departedFrom.distanceMeters(to: center.coordinate)
        guard seconds < rules.timeline.shortestStopSeconds, distance <= Self.samePlaceMeters else { return false }
        let radius = rules.parameters.stopRadiusMeters(accuracyMeters: fix.assumedAccuracyMeters)
        return distance <= radius || distance < rules.slowWalkMetersPerSecond * seconds
            || meters - event.startMeters < rules.shortestEndedSegmentMeters
    }
}
