import CivilTime
import Geodesy

/// Rides that begin: out of a stay, or of a walk; and what they were made by.
extension TimelineKeeper {
    /// A stay that is left at a speed that nobody walks at ends nearer to it than one that somebody walks out of: it takes
    /// less to be sure.
    /// - Returns: whether it was left.
    mutating func driveAway(
        _ history: MovementHistory, fix: Fix, rules: TimelineRules, into log: inout TimelineLog
    ) -> Bool {
        guard let event = open, let stay, let ride = history.newestRide(after: event.decided) else { return false }
        let clearance = DepartureFigures.leastClearanceMeters
        let distance = stay.coordinate.distanceMeters(to: fix.coordinate)
        // Away from the place: a jump of the position and the way back from it go nowhere.
        let before = stay.coordinate.distanceMeters(to: history.epochs[max(ride.lowerBound - 1, 0)].coordinate)
        guard distance > stay.radiusMeters(for: fix) + clearance,
            distance - before > stay.coreMeters(for: fix) + clearance
        else { return false }
        let setOut = history.departure(
            from: stay.coordinate, radiusMeters: stay.coreMeters(for: fix),
            longestWaitSeconds: rules.longestWaitSeconds, mayComeOut: event.mayComeOut, after: event.decided)
        let boarding = history.boarding(ofRideAt: ride.lowerBound, after: event.decided)
        startTransport(at: min(setOut ?? boarding, boarding), history: history, rules: rules, into: &log)
        return true
    }

    /// From a walk into a vehicle: two epochs at its speed are enough.
    mutating func rideOff(_ history: MovementHistory, rules: TimelineRules, into log: inout TimelineLog) {
        guard let event = open, event.carrier == .foot, let ride = history.rides(after: event.start).first else {
            return
        }
        let begin = history.boarding(ofRideAt: ride.lowerBound, after: event.start)
        let wheels = history.movements[ride.upperBound].carrier
        // Some steps round the vehicle, before a way began, are no leg.
        let leastSeconds = left == nil ? 0 : rules.shortestLastLegSeconds
        if begin > event.start, begin.seconds(since: event.start) >= leastSeconds {
            changeLeg(to: wheels, at: begin, history: history, rules: rules, into: &log)
            line.cut(before: begin)
        } else {
            open?.carrier = wheels
        }
        publish(into: &log)
    }

    /// What the wheels of a leg were is clearest where it ends.
    mutating func settleWheels(_ history: MovementHistory, until end: Timestamp, rules: TimelineRules) {
        guard rules.timeline.vehicle == nil, let event = open, event.phase == .transport,
            event.carrier?.isOnWheels == true, event.fastSeconds < rules.shortestFastSeconds,
            let share = history.vehicleShare(from: event.start, to: end)
        else { return }
        let change = rules.changeOfWheelsShare
        let likelihood = lastWheels == .vehicle ? change : lastWheels == .bicycle ? 1 - change : 0.5
        open?.carrier = share > likelihood ? .vehicle : .bicycle
    }
}
