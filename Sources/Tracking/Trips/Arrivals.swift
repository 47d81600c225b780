import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Ends trips and begins stops.
struct Arrivals {
    let history: MovementHistory
    let fix: Fix
    /// Nil where the receiver is mounted in a vehicle.
    let pedestrian: PedestrianDetector?

    private var rules: SegmentationRules { history.rules }

    /// Ends the trip where the vehicle has stood for long enough, at the time of its arrival.
    /// - Parameter seconds: The time that is long enough. Nil for the stationary interval.
    /// - Returns: whether the trip has ended.
    func detect(in events: inout EventSequence, after seconds: Double? = nil, into batch: inout RevisionBatch) -> Bool {
        guard let event = events.open,
            let begin = stopStart(
                intervalSeconds: seconds ?? rules.intervalSeconds, accuracyMeters: fix.assumedAccuracyMeters,
                after: event.settledUntil)
        else { return false }
        if begin <= event.start, events.ended == nil, let last = events.lastFinal, last.isStop,
            last.touches(event, events.emitter)
        {
            // The trip has led somewhere, so it cannot be the stop.
            return false
        }
        // The odometer finds some seconds late that an anchor was left, or some fixes. That distance still belongs to
        // the trip.
        let lag = MovementBounds.farConfirmationSeconds + MotionWindowBuilder.lengthSeconds
        let meters = history.isSparse ? history.totalMeters : history.odometerMeters(at: begin.advanced(bySeconds: lag))
        let isDriven = event.motion.mode?.isOnWheels == true
        var center = center(from: isDriven ? max(begin, standStart(after: begin)) : begin)
        var segment = event
        // After a stop, a trip began with a departure from its place. Without one, only speeds may have told it.
        let isBySpeedAlone =
            isDriven && events.ended == nil && events.lastFinal?.isStop != true
            && hasStayed(at: center, from: event.start, until: begin)
        if begin > event.start, !isBySpeedAlone, !isWithinStop(event, until: begin, meters: meters, at: center) {
            segment = endTrip(event, at: begin, meters: meters, in: &events, into: &batch)
        } else if let before = events.ended?.event.stop?.center {
            // The vehicle is at the stop before the trip again, or has moved within it.
            events.withdrawOpen(into: &batch)
            if before.coordinate.distanceMeters(to: center.coordinate) <= before.coreRadiusMeters(for: fix) {
                center = before
            }
        } else {
            events.open?.phase = .stationary(event.stop(at: center))
        }
        // Some steps beside the vehicle are no arrival on foot.
        let isSegment = begin.seconds(since: segment.start) >= rules.shortestProvenSegmentSeconds
        let arrivalMode = isSegment ? events.ended?.walk?.mode : segment.arrivalMode
        events.open?.stop?.arrivalMode = arrivalMode ?? (isBySpeedAlone ? nil : segment.motion.mode)
        events.open?.stop?.center = center
        events.polyline.removePoints(before: begin)
        events.emitRevision(into: &batch)
        return true
    }

    /// Ends a trip and begins a stop. The end stays provisional, because the stop may turn out to be a halt.
    /// - Returns: the last segment of the trip.
    private func endTrip(
        _ event: OpenEvent, at end: Timestamp, meters: Double, in events: inout EventSequence,
        into batch: inout RevisionBatch
    ) -> OpenEvent {
        let segments = Segments(history: history, pedestrian: pedestrian)
        let walk = segments.splitLast(before: end, in: &events, into: &batch)
        segments.addMissed(until: end, in: &events, into: &batch)
        let meters = meters + batch.missedMeters(until: end)
        let last = events.open ?? event
        segments.resolveVehicleOrBicycle(until: walk?.start ?? end, in: &events)
        events.endProvisionally(at: end, meters: meters, into: &batch)
        if events.ended?.event.id == last.id { events.ended?.walk = walk }
        events.begin(.stationary(Stop()), at: end, meters: meters)
        return last
    }

    /// Whether a movement is within a stop and no trip: some minutes on foot that end where they began, or lead away
    /// slower than any walk, or lead back, or the odometer takes them for noise.
    private func isWithinStop(_ event: OpenEvent, until end: Timestamp, meters: Double, at center: RobustCenter) -> Bool
    {
        guard event.motion.mode == .foot, let place = event.trip?.departurePlace else { return false }
        let seconds = end.seconds(since: event.start)
        let distance = place.distanceMeters(to: center.coordinate)
        guard seconds < rules.timeline.shortestStopSeconds, distance <= SegmentationRules.samePlaceMeters else {
            return false
        }
        return distance <= rules.parameters.stopRadiusMeters(accuracyMeters: fix.assumedAccuracyMeters)
            || distance < rules.movingThresholdMetersPerSecond * seconds
            || distance < rules.minimumStraightness * history.pathMeters(from: event.start, to: fix.timestamp)
            || meters - event.startMeters < rules.shortestEndedSegmentMeters
    }

    /// Whether no position between two times was away from a place.
    private func hasStayed(at center: RobustCenter, from start: Timestamp, until end: Timestamp) -> Bool {
        let windows = history.windows
        // The window at the start has its end.
        guard let oldest = windows.first,
            oldest.time.seconds(since: start) <= MotionWindowBuilder.maximumCommonSeconds
        else { return false }
        return windows[(windows.lastIndex { $0.time <= start } ?? 0)...].allSatisfy {
            $0.time > end || isInCore($0, of: center.coordinate)
        }
    }

    private func isInCore(_ window: MotionWindow, of center: Coordinate) -> Bool {
        center.distanceMeters(to: window.coordinate)
            <= RobustCenter.coreRadiusMeters(accuracyMeters: window.accuracyMeters)
    }

    /// Returns the start of the stop that the history ends in. Nil where it ends in none of the interval's length.
    /// - Parameter limit: The earliest start.
    func stopStart(intervalSeconds: Double, accuracyMeters: Double, after limit: Timestamp) -> Timestamp? {
        let windows = history.windows
        guard pedestrian != nil else {
            let begin = standStart(after: limit)
            return history.end.map { $0.seconds(since: begin) >= intervalSeconds } == true ? begin : nil
        }
        guard let newest = windows.last, newest.time.seconds(since: limit) >= intervalSeconds,
            let first = windows.lastIndex(where: { newest.time.seconds(since: $0.time) >= intervalSeconds })
        else { return nil }
        let center = history.medianCenter(of: first..<windows.count)
        let radius = rules.parameters.stopRadiusMeters(accuracyMeters: accuracyMeters)
        let entry = arrivalIndex(after: limit) { center.distanceMeters(to: $0.coordinate) <= radius }
        guard entry <= first else { return restStart(intervalSeconds: intervalSeconds, after: limit) }
        // At 25 m from the place the vehicle still approaches. A position that never settles has arrived all the same.
        let core = arrivalIndex(after: limit) { isInCore($0, of: center) }
        let begin = arrivalTime(from: max(entry, core))
        return newest.time.seconds(since: begin) >= intervalSeconds / 2 ? begin : arrivalTime(from: entry)
    }

    /// Returns the time since which a vehicle has stood.
    ///
    /// One that moves to and fro in a yard has not arrived, and one that rolls on in a queue has not either.
    private func standStart(after limit: Timestamp) -> Timestamp {
        let windows = history.windows
        let first = windows.firstIndex { history.totalMeters - $0.odometerMeters < rules.queueStepMeters }
        let place = history.medianCenter(of: (first ?? windows.count - 1)..<windows.count)
        let index = arrivalIndex(after: limit) {
            !history.hasMoved(from: place, to: $0, overMeters: history.totalMeters - $0.odometerMeters)
        }
        return max(arrivalTime(from: index), limit)
    }

    /// Returns the start of the rest that the history ends in, if it has the interval's length. Nil where there is
    /// none.
    ///
    /// In a building positions wander farther than around a vehicle. Where the movement model has seen nothing but
    /// rest, a position beyond the radius is no movement.
    private func restStart(intervalSeconds: Double, after limit: Timestamp) -> Timestamp? {
        let windows = history.windows
        let first = (history.states.lastIndex { !$0.isStationary } ?? -1) + 1
        guard first < windows.count else { return nil }
        let begin = max(history.midpoint(of: first), limit)
        guard windows[windows.count - 1].time.seconds(since: begin) >= intervalSeconds else { return nil }
        let center = history.medianCenter(of: first..<windows.count)
        let radius = 2 * rules.parameters.baseStopRadiusMeters
        return windows[first...].allSatisfy { center.distanceMeters(to: $0.coordinate) <= radius } ? begin : nil
    }

    /// Returns the centre of the positions since a time.
    func center(from begin: Timestamp) -> RobustCenter {
        var center: RobustCenter?
        for window in history.windows where window.time >= begin {
            var point = fix
            point.timestamp = window.time
            point.coordinate = window.coordinate
            if center == nil {
                center = RobustCenter(at: point)
            } else {
                center?.add(point)
            }
        }
        return center ?? RobustCenter(at: fix)
    }

    /// Returns the first of the newest windows that all belong to a stop.
    private func arrivalIndex(after limit: Timestamp, isInside: (MotionWindow) -> Bool) -> Int {
        let windows = history.windows
        var arrival = windows.count
        // One window in ten may lie outside, if it is a jump of the position.
        var outside = 0
        for index in windows.indices.reversed() where windows[index].time >= limit {
            if isInside(windows[index]) {
                arrival = index
            } else {
                outside += 1
                if outside * 10 > windows.count - index || !isJump(at: index) { break }
            }
        }
        return arrival
    }

    /// Whether a window lies away from both its neighbours, which lie together.
    private func isJump(at index: Int) -> Bool {
        guard index > 0, index + 1 < history.windows.count else { return true }
        let before = history.windows[index - 1].coordinate
        return before.distanceMeters(to: history.windows[index + 1].coordinate)
            < before.distanceMeters(to: history.windows[index].coordinate)
    }

    /// Returns the time of the arrival: a vehicle arrives when it stands, a pedestrian at once.
    private func arrivalTime(from arrival: Int) -> Timestamp {
        let windows = history.windows
        let isDriving = windows.indices.contains {
            ($0 == arrival || $0 == arrival - 1) && windows[$0].speedMetersPerSecond >= rules.walkLimitMetersPerSecond
        }
        let limit = isDriving ? rules.stoppedThresholdMetersPerSecond : rules.walkLimitMetersPerSecond
        let index = windows.indices.first {
            $0 >= arrival && (history.states[$0].isStationary || windows[$0].speedMetersPerSecond < limit)
        }
        return history.midpoint(of: index ?? windows.count - 1)
    }
}
