import CivilTime
import Geodesy
import OdographModel

/// How stays end.
///
/// A departure is told as soon as it looks like one, or as somebody comes out of a building, and is doubted until the
/// vehicle is clearly out of the noise around the stay. One that was none is withdrawn, and the stay goes on.
extension TripSegmenter {
    /// A stay ends when the vehicle has left the noise around it, back-dated to when it set out; what is not known yet
    /// becomes a stay when it has stood for long enough.
    mutating func detectDeparture(
        _ history: MovementHistory, fix: Fix, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        guard let event = open, let stopCenter else { return }
        if let begin = certainDepartureTime(from: stopCenter, history, fix: fix, rules: rules) {
            startTransport(at: begin, history: history, rules: rules, into: &log)
            return
        }
        if let begin = tentativeDepartureTime(from: stopCenter, history, fix: fix, rules: rules) {
            beginTentativeDeparture(from: stopCenter, at: begin, history: history, rules: rules, into: &log)
            return
        }
        if let begin = indoorExitTime(history, fix: fix, rules: rules),
            let indoors = history.medianPosition(before: begin)
        {
            beginTentativeDeparture(from: stopCenter, at: begin, history: history, rules: rules, into: &log)
            open?.indoorPosition = indoors
            return
        }
        guard event.phase == .unknown,
            let begin = history.stopStart(
                intervalSeconds: rules.intervalSeconds, accuracyMeters: stopCenter.radiusMeters(for: fix),
                after: event.start)
        else { return }
        if isTrip(event, until: begin, history, rules: rules) || !history.rides(after: event.start).isEmpty {
            startTransport(at: event.start, history: history, rules: rules, into: &log)
            _ = detectArrival(history, fix: fix, rules: rules, into: &log)
        } else {
            open?.phase = .stationary
            emitRevision(into: &log)
        }
    }

    /// Whether what came before a first stand was a way, and no hop of a position that is another one since.
    private func isTrip(_ event: OpenEvent, until end: Timestamp, _ history: MovementHistory, rules: SegmentationRules)
        -> Bool
    {
        end.seconds(since: event.start) >= rules.shortestSegmentSeconds
            && (history.odometerMeters(at: end) ?? lastMeters) - event.startMeters >= rules.shortestEndedSegmentMeters
    }

    /// Tells a departure that may be taken back.
    private mutating func beginTentativeDeparture(
        from stay: RobustCenter, at begin: Timestamp, history: MovementHistory, rules: SegmentationRules,
        into log: inout RevisionBatch
    ) {
        let cameBy = open?.arrivalMode
        startTransport(at: begin, isTentative: true, history: history, rules: rules, into: &log)
        // Should it become a stay: who came on wheels has stood for longer than at a halt.
        open?.arrivalMode = cameBy?.isOnWheels == true ? nil : cameBy
    }

    /// Decides on a departure that is doubted.
    /// - Returns: whether there is no way yet that could end or change: it is still doubted, or was none.
    mutating func resolveTentativeDeparture(
        _ history: MovementHistory, fix: Fix, rules: SegmentationRules, into log: inout RevisionBatch
    ) -> Bool {
        guard let event = open, let place = tentativelyLeftStop else { return false }
        if let begin = certainDepartureTime(from: place, history, fix: fix, rules: rules) {
            confirmDeparture(event, at: begin, history: history, rules: rules, into: &log)
            return false
        }
        guard let newest = history.windows.last else { return true }
        let isInside = history.hasReturned(to: place.coordinate, radiusMeters: place.coreRadiusMeters(for: fix))
        let hasStayed =
            event.indoorPosition.map {
                isIndoorExitRefuted(event, indoors: $0, isInside: isInside, history, rules: rules)
            }
            ?? (isInside || history.trailingRestSeconds >= rules.longestWaitSeconds)
        let longest = max(rules.timeline.shortestStopSeconds, rules.longestWaitSeconds)
        guard hasStayed || newest.time.seconds(since: event.start) >= longest else { return true }
        if isInside {
            withdrawTentativeDeparture(into: &log)
        } else {
            // It stays, but somewhere else about the place.
            finalizeEndedEvent(rules: rules, into: &log)
            open?.phase = .stationary
            open?.clearTentative()
            departedFrom = nil
            stopCenter = history.center(from: event.start, noise: fix)
            emitRevision(into: &log)
        }
        polyline.removePoints(before: event.start)
        return true
    }

    /// A departure that was doubted was one: of the way that was told, or of a later one.
    private mutating func confirmDeparture(
        _ event: OpenEvent, at begin: Timestamp, history: MovementHistory, rules: SegmentationRules,
        into log: inout RevisionBatch
    ) {
        guard begin.seconds(since: event.start) < rules.shortestSegmentSeconds else {
            // Until then it was about the place.
            withdrawOpenEvent(into: &log)
            startTransport(at: begin, history: history, rules: rules, into: &log)
            return
        }
        open?.clearTentative()
        let carrier = history.dominantMode(from: event.start, to: history.windows.last?.time ?? begin)
        guard carrier != event.mode else { return }
        open?.mode = carrier
        emitRevision(into: &log)
    }

    /// When the way began, of a vehicle that is clearly out of the noise around a stay.
    private func certainDepartureTime(
        from place: RobustCenter, _ history: MovementHistory, fix: Fix, rules: SegmentationRules
    ) -> Timestamp? {
        guard let event = open, history.isClearlyMoving,
            place.coordinate.distanceMeters(to: fix.coordinate)
                > place.radiusMeters(for: fix) + DepartureParameters.clearanceMeters,
            let begin = history.departureTime(
                from: place.coordinate, radiusMeters: place.coreRadiusMeters(for: fix),
                longestWaitSeconds: rules.longestWaitSeconds, mayBeIndoors: event.mayBeIndoors,
                after: event.settledUntil),
            distanceMeters(since: begin, in: history) > DepartureParameters.minimumClearanceMeters
                || history.hasDriven(from: begin, to: fix.timestamp)
        else { return nil }
        return begin
    }

    /// When the way began, of somebody who looks like leaving.
    ///
    /// Not of a vehicle that came a moment ago: whether it halts in traffic is told by how it goes on. Nor by a receiver
    /// that does not say how wrong it can be.
    private func tentativeDepartureTime(
        from place: RobustCenter, _ history: MovementHistory, fix: Fix, rules: SegmentationRules
    ) -> Timestamp? {
        guard let event = open, fix.accuracyMeters != nil else { return nil }
        let core = place.coreRadiusMeters(for: fix)
        guard
            history.isMovingAway(
                from: place.coordinate, coreMeters: core, radiusMeters: place.radiusMeters(for: fix)),
            let begin = history.departureTime(
                from: place.coordinate, radiusMeters: core, longestWaitSeconds: rules.longestWaitSeconds,
                mayBeIndoors: event.mayBeIndoors, after: event.settledUntil)
        else { return nil }
        let stood = begin.seconds(since: event.settledUntil)
        let least = event.arrivalMode?.isOnWheels == true ? rules.timeline.shortestStopSeconds : 0
        return stood >= max(least, rules.shortestSegmentSeconds) ? begin : nil
    }

    /// What lasted ends, or turns out to have been part of it, and a way begins.
    /// - Parameter isDoubted: whether it may be taken back.
    mutating func startTransport(
        at begin: Timestamp, isTentative: Bool = false, history: MovementHistory, rules: SegmentationRules,
        into log: inout RevisionBatch
    ) {
        guard let event = open else { return }
        // What counted for the way before counts once.
        let meters = max(history.odometerMeters(at: begin) ?? lastMeters, event.startMeters)
        let stood = begin.seconds(since: event.start)
        let wheels = resumedVehicleMode(at: begin, afterHaltIn: event, history: history, rules: rules)
        let isHalt = wheels != nil
        if isHalt, endedEvent?.event.phase == .transport {
            withdrawOpenEvent(into: &log)
            emitRevision(into: &log)
            return
        }
        let carrier = wheels ?? history.dominantMode(from: begin, to: history.windows.last?.time ?? begin)
        if isHalt || event.phase == .unknown && stood < rules.shortestSegmentSeconds {
            // The event keeps its identifier and gets its true kind.
            open?.phase = .transport
        } else {
            if event.phase == .unknown { open?.phase = .stationary }
            if isTentative || carrier?.isOnWheels != true {
                endProvisionally(at: begin, meters: meters, rules: rules, into: &log)
            } else {
                finalizeOpenEvent(at: begin, meters: meters, rules: rules, into: &log)
            }
            openEvent(.transport, at: begin, meters: meters)
        }
        departedFrom = isHalt ? nil : stopCenter?.coordinate
        stopCenter = nil
        if let start = open?.start { polyline.removePoints(before: start) }
        open?.mode = carrier
        open?.isTentative = isTentative && endedEvent?.stopCenter != nil
        emitRevision(into: &log)
    }

    /// What goes on on wheels after a stand that was too short for a stop and in which nobody got out; nil where it was no
    /// such halt.
    private func resumedVehicleMode(
        at begin: Timestamp, afterHaltIn event: OpenEvent, history: MovementHistory, rules: SegmentationRules
    ) -> MovementMode? {
        guard event.phase == .stationary, event.arrivalMode?.isOnWheels == true,
            begin.seconds(since: event.start) < rules.timeline.shortestStopSeconds,
            // Who rolled on at a walk to the next light got neither out nor in.
            let newest = history.trailingMode(after: begin)?.carrier, newest.isOnWheels,
            history.walksFromVehicle(from: event.start, to: begin).isEmpty
        else { return nil }
        return newest
    }
}
