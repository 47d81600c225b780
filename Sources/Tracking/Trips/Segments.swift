import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Divides trips into segments: one event for each transport mode.
struct Segments {
    let history: MovementHistory
    /// Nil where the receiver is mounted in a vehicle.
    let pedestrian: PedestrianDetector?

    private var rules: SegmentationRules { history.rules }

    /// Publishes the walks from the vehicle when it has just gone on after a slow time. Only now they are certain: in a
    /// queue the vehicle would have moved on.
    func emitWalksFromVehicle(in events: inout EventSequence, into batch: inout RevisionBatch) {
        guard history.hasJustResumedDriving, let event = events.open, event.motion.mode?.isOnWheels == true else {
            return
        }
        for walk in pedestrian?.walks(in: history).walks(after: event.settledUntil) ?? []
        where walk.exitTime > event.start {
            start(by: .foot, at: walk.exitTime, in: &events, into: &batch)
            // The odometer may have taken a part of the walk for rest, which is right for the vehicle only.
            let counted = history.odometerMeters(at: walk.returnTime) - history.odometerMeters(at: walk.exitTime)
            if walk.meters > counted {
                let missed = MissedMovement(meters: walk.meters - counted, hasReturned: true, end: walk.returnTime)
                events.add(missed, into: &batch)
            }
            start(by: event.motion.mode, at: walk.returnTime, in: &events, into: &batch)
            events.open?.trip?.motion = event.motion
        }
        events.emitRevision(into: &batch)
    }

    /// Begins a segment on wheels after a walk. Two windows at its speed are enough.
    func detectBoarding(in events: inout EventSequence, into batch: inout RevisionBatch) {
        let rides = RideDetector(history: history)
        guard let event = events.open, event.motion.mode == .foot, let ride = rides.rides(after: event.start).first
        else { return }
        let begin = rides.boardingTime(ofRideAt: ride.lowerBound, after: event.start)
        let mode = history.states[ride.upperBound].mode
        // Some steps around the vehicle before a trip are no segment.
        let shortest = event.trip?.departurePlace == nil ? 0 : rules.shortestProvenSegmentSeconds
        if begin > event.start, begin.seconds(since: event.start) >= shortest {
            start(by: mode, at: begin, in: &events, into: &batch)
            events.polyline.removePoints(before: begin)
        } else {
            events.setMode(mode, into: &batch)
        }
        events.emitRevision(into: &batch)
    }

    /// Begins a segment when another mode has lasted for long enough. Corrects the mode of a short segment.
    func detectModeChange(in events: inout EventSequence, into batch: inout RevisionBatch) {
        guard let event = events.open, let newest = history.windows.last else { return }
        let seconds = newest.time.seconds(since: history.start(of: history.windows.count - 1))
        if newest.speedMetersPerSecond > TransportMode.maximumRoadMetersPerSecond {
            events.open?.trip?.motion.aboveRoadSpeedSeconds += seconds
        }
        if newest.speedMetersPerSecond > TransportMode.maximumCyclingMetersPerSecond {
            events.open?.trip?.motion.aboveCyclingSpeedSeconds += seconds
        }
        guard let trailing = history.trailingMode(after: event.start) else { return }
        guard let mode = event.motion.mode else {
            events.open?.trip?.motion.mode = trailing.mode
            return
        }
        // A queue at the speed of a walk halts again and again.
        let isLong =
            mode == .foot
            ? newest.time.seconds(since: trailing.start) >= rules.shortestSegmentSeconds
            : history.isCertain(trailing.mode, since: trailing.start)
        guard trailing.mode != mode, history.isMoving, isLong,
            history.distanceMeters(since: trailing.start) >= rules.shortestSegmentMeters
        else { return }
        if mode != .foot && trailing.mode != .foot {
            guard wasModeFromStart(trailing, in: event, until: newest.time) else { return }
        } else if trailing.start.seconds(since: event.start) >= rules.shortestSegmentSeconds
            || history.hasDriven(from: event.start, to: trailing.start)
        {
            // A person leaves a vehicle while it stands.
            let walks = trailing.mode == .foot ? pedestrian?.walks(in: history) : nil
            let begin = walks?.restStart(near: trailing.start, after: event.start) ?? trailing.start
            guard isPossible(trailing.mode, since: begin) else { return }
            guard trailing.mode != .running || history.hasRested(near: trailing.start) else { return }
            // Where it rested at its start, all of it is the other mode.
            if begin > event.start {
                start(by: trailing.mode, at: begin, in: &events, into: &batch)
                events.polyline.removePoints(before: begin)
                return events.emitRevision(into: &batch)
            }
        }
        events.setMode(trailing.mode, into: &batch)
        events.emitRevision(into: &batch)
    }

    /// Whether the movement since a time is slow enough for a mode. Speeds of single windows are not: a receiver can
    /// lose the time between them.
    private func isPossible(_ mode: MovementMode, since start: Timestamp) -> Bool {
        let seconds = history.end?.seconds(since: start) ?? 0
        return history.distanceMeters(since: start) <= mode.maximumMetersPerSecond(
            fastest: rules.fastestMetersPerSecond) * seconds
    }

    /// Whether a segment that looks now as if it was on other wheels was on them all along.
    ///
    /// A change from a bicycle to a car needs a step on foot. The segment was a vehicle if it was fast, because
    /// vehicles can be slow; otherwise it has the present mode.
    private func wasModeFromStart(
        _ trailing: (mode: MovementMode, start: Timestamp), in event: OpenEvent, until now: Timestamp
    ) -> Bool {
        let wasFast = event.motion.aboveCyclingSpeedSeconds >= rules.shortestFastSeconds
        if wasFast { return event.motion.mode != .vehicle }
        let isMostOfIt = 2 * trailing.start.seconds(since: event.start) < now.seconds(since: event.start)
        return trailing.mode != .vehicle || isMostOfIt
    }

    /// Splits off the last segment before a stop. It may be short, because the stop proves it.
    /// - Returns: the walk from a vehicle to the stop, which is not split off before the stop is certain. Nil where
    ///   there is none.
    func splitLast(
        before end: Timestamp, in events: inout EventSequence, into batch: inout RevisionBatch
    ) -> WalkToStop? {
        guard let event = events.open, let trailing = history.trailingMode(after: event.start, before: end),
            // Between two modes on wheels there is a step on foot.
            let mode = event.motion.mode, trailing.mode != mode, !mode.isOnWheels || !trailing.mode.isOnWheels,
            trailing.start.seconds(since: event.start) >= rules.shortestSegmentSeconds,
            end.seconds(since: trailing.start) >= rules.shortestProvenSegmentSeconds,
            // A long window in which a vehicle arrives has the mean speed of a walk.
            !history.isSparse || history.windows.count(where: { $0.time > trailing.start && $0.time <= end }) >= 2,
            history.odometerMeters(at: end) - history.odometerMeters(at: trailing.start)
                >= rules.shortestEndedSegmentMeters
        else { return nil }
        guard mode.isOnWheels else {
            start(by: trailing.mode, at: trailing.start, in: &events, into: &batch)
            return nil
        }
        // A vehicle that shunts or searches for a space is as fast as a run. A person leaves it while it stands.
        guard
            trailing.mode == .foot
                || history.isCertain(trailing.mode, since: trailing.start) && history.hasRested(near: trailing.start)
        else { return nil }
        return WalkToStop(
            mode: trailing.mode, start: trailing.start,
            startMeters: max(history.odometerMeters(at: trailing.start), event.startMeters),
            place: history.windows.first { $0.time >= trailing.start }?.coordinate)
    }

    /// Divides the trip that the recording ends in: a person who is out of the vehicle is on foot.
    func finishTrip(at end: Timestamp, in events: inout EventSequence, into batch: inout RevisionBatch) {
        if let event = events.open, event.motion.mode?.isOnWheels == true,
            let exit = pedestrian?.walks(in: history).lastExitTime(after: event.settledUntil), exit > event.start
        {
            start(by: .foot, at: exit, in: &events, into: &batch)
        }
        resolveVehicleOrBicycle(until: end, in: &events)
    }

    /// Decides between a vehicle and a bicycle at the end of a segment, where that is clearest.
    func resolveVehicleOrBicycle(until end: Timestamp, in events: inout EventSequence) {
        guard rules.timeline.vehicle == nil, let event = events.open, let motion = event.trip?.motion,
            motion.mode?.isOnWheels == true, motion.aboveCyclingSpeedSeconds < rules.shortestFastSeconds,
            let probability = history.vehicleProbability(from: event.start, to: end)
        else { return }
        let change = rules.vehicleChangeProbability
        let limit = events.lastVehicleMode == .vehicle ? change : events.lastVehicleMode == .bicycle ? 1 - change : 0.5
        let mode = probability > limit ? MovementMode.vehicle : .bicycle
        // A trip with this mode that it touches is final already.
        if events.ended == nil, mode == motion.mode || mode == event.trip?.arrivalMode { return }
        events.open?.trip?.motion.mode = mode
    }

    /// Adds what the odometer has missed of the open trip, which ends at a time.
    func addMissed(until time: Timestamp, in events: inout EventSequence, into batch: inout RevisionBatch) {
        guard let trip = events.open, trip.trip != nil, batch.placeInDoubtUntil.map({ $0 < trip.start }) ?? true,
            !batch.missed.contains(where: { $0.end > trip.start }),
            let missed = history.missedMovement(
                from: trip.start, to: time,
                countedMeters: history.odometerMeters(at: time) + batch.missedMeters(until: time) - trip.startMeters)
        else { return }
        events.add(missed, into: &batch)
    }

    /// Ends the segment that lasts and begins another. The first one may be too short for an event: then it has the
    /// mode of the next one.
    private func start(
        by mode: MovementMode?, at time: Timestamp, in events: inout EventSequence, into batch: inout RevisionBatch
    ) {
        if events.isFirstTooShort(endingAt: time) {
            events.open?.trip?.motion = TripMotion(mode: mode)
            return
        }
        addMissed(until: time, in: &events, into: &batch)
        // A distance counts only once. The history does not contain what earlier fixes added as missed.
        let counted = history.odometerMeters(at: time) + batch.missedMeters(until: time)
        let meters = max(counted, events.open?.startMeters ?? counted)
        resolveVehicleOrBicycle(until: time, in: &events)
        let before = events.open?.trip
        events.endProvisionally(at: time, meters: meters, into: &batch)
        let trip = Trip(
            motion: TripMotion(mode: mode), arrivalMode: before?.motion.mode, departurePlace: before?.departurePlace)
        events.begin(.trip(trip), at: time, meters: meters)
    }
}
