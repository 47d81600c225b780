import CivilTime
import Geodesy
import OdographModel

/// Rides that begin: out of a stay, or of a walk; and what they were made by.
extension TripSegmenter {
    /// A stay that is left at a speed that nobody walks at ends nearer to it than one that somebody walks out of: it takes
    /// less to be sure.
    /// - Returns: whether it was left.
    mutating func detectDriveOff(
        _ history: MovementHistory, fix: Fix, rules: SegmentationRules, into log: inout RevisionBatch
    ) -> Bool {
        guard let event = open, let stopCenter, let ride = history.newestRide(after: event.settledUntil) else {
            return false
        }
        let clearance = DepartureParameters.minimumClearanceMeters
        let distance = stopCenter.coordinate.distanceMeters(to: fix.coordinate)
        // Away from the place: a jump of the position and the way back from it go nowhere.
        let before = stopCenter.coordinate.distanceMeters(to: history.windows[max(ride.lowerBound - 1, 0)].coordinate)
        guard distance > stopCenter.radiusMeters(for: fix) + clearance,
            distance - before > stopCenter.coreRadiusMeters(for: fix) + clearance
        else { return false }
        let setOut = history.departureTime(
            from: stopCenter.coordinate, radiusMeters: stopCenter.coreRadiusMeters(for: fix),
            longestWaitSeconds: rules.longestWaitSeconds, mayBeIndoors: event.mayBeIndoors, after: event.settledUntil)
        let boarding = history.boardingTime(ofRideAt: ride.lowerBound, after: event.settledUntil)
        startTransport(at: min(setOut ?? boarding, boarding), history: history, rules: rules, into: &log)
        return true
    }

    /// From a walk into a vehicle: two epochs at its speed are enough.
    mutating func detectBoarding(_ history: MovementHistory, rules: SegmentationRules, into log: inout RevisionBatch) {
        guard let event = open, event.mode == .foot, let ride = history.rides(after: event.start).first else {
            return
        }
        let begin = history.boardingTime(ofRideAt: ride.lowerBound, after: event.start)
        let wheels = history.states[ride.upperBound].mode
        // Some steps round the vehicle, before a way began, are no leg.
        let leastSeconds = departedFrom == nil ? 0 : rules.shortestLastSegmentSeconds
        if begin > event.start, begin.seconds(since: event.start) >= leastSeconds {
            startSegment(by: wheels, at: begin, history: history, rules: rules, into: &log)
            polyline.removePoints(before: begin)
        } else {
            open?.mode = wheels
        }
        emitRevision(into: &log)
    }

    /// What the wheels of a leg were is clearest where it ends.
    mutating func resolveVehicleOrBicycle(_ history: MovementHistory, until end: Timestamp, rules: SegmentationRules) {
        guard rules.timeline.vehicle == nil, let event = open, event.phase == .transport,
            event.mode?.isOnWheels == true, event.aboveCyclingSpeedSeconds < rules.shortestFastSeconds,
            let share = history.vehicleProbability(from: event.start, to: end)
        else { return }
        let change = rules.vehicleChangeProbability
        let likelihood = lastVehicleMode == .vehicle ? change : lastVehicleMode == .bicycle ? 1 - change : 0.5
        open?.mode = share > likelihood ? .vehicle : .bicycle
    }
}
