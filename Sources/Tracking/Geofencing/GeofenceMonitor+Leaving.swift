import CivilTime
import Geodesy

/// When it is certain that the vehicle has left.
extension GeofenceMonitor {
    /// Enough fixes in a row are outside, and the vehicle is clear of the fence or drives away from it.
    func hasLeft(
        _ watch: inout GeofenceState, _ sighting: GeofencePosition, _ previous: LastGeofencePosition?
    ) -> Bool {
        let agreement = watch.confirm(at: sighting.time, isSparse: cadence.isSparse)
        let margin = GeofenceThresholds.exitMarginMeters(reachMeters: fences.index.reachMeters(watch.slot))
        let limit = margin + sighting.accuracyMeters
        // So far that a fix beyond the limit can still be told from the one before it.
        let reach = limit + Self.minimumStepMeters(sighting, previous)
        let distance = fences.index.distanceMeters(watch.slot, fromOutside: sighting.effectiveCoordinate, limit: reach)
        let isClear = isClear(&watch, isBeyond: distance > limit, at: sighting.time)
        guard agreement.isConfirmed else { return false }
        return isClear
            || isDrivingAway(watch, sighting, previous, marginMeters: margin, distanceMeters: min(distance, reach))
    }

    /// The last fixes, more than one, are beyond the margin and their own accuracy.
    private func isClear(_ watch: inout GeofenceState, isBeyond: Bool, at time: Timestamp) -> Bool {
        guard isBeyond else {
            watch.beyondSince = nil
            return false
        }
        let since = watch.beyondSince ?? time
        watch.beyondSince = since
        return cadence.isSparse || time.seconds(since: since) >= GeofenceThresholds.clearanceSeconds
    }

    /// The speed that the receiver measures says that the way out of the fence is one: a position that noise or
    /// reflections shift moves without it. Then the fix need not be beyond the margin and its own accuracy, but beyond
    /// each of them, and it is enough that it will be beyond the margin wherever the vehicle stops.
    private func isDrivingAway(
        _ watch: GeofenceState, _ sighting: GeofencePosition, _ previous: LastGeofencePosition?,
        marginMeters margin: Double,
        distanceMeters distance: Double
    ) -> Bool {
        guard !cadence.isSparse, sighting.stationaryCoordinate == nil, let previous, !previous.isStanding,
            let leftAt = watch.leftAt, let speed = sighting.speedMetersPerSecond,
            speed >= GeofenceThresholds.certainSpeedMetersPerSecond
        else { return false }
        let stopping = speed * speed / (2 * ReceiverErrorModel.maximumAccelerationMetersPerSecondSquared)
        let outward = speed * GeofenceThresholds.minimumOutwardRatio * sighting.time.seconds(since: leftAt)
        guard distance > sighting.accuracyMeters, distance + stopping >= margin,
            distance >= outward
        else { return false }
        let before = fences.index.distanceMeters(watch.slot, fromOutside: previous.place, limit: distance)
        return distance - before >= Self.minimumStepMeters(sighting, previous)
    }

    /// How much farther from a fence whoever drives away from it gets between two fixes at the least.
    private static func minimumStepMeters(_ sighting: GeofencePosition, _ previous: LastGeofencePosition?) -> Double {
        guard let previous, let speed = sighting.speedMetersPerSecond else { return 0 }
        return speed * GeofenceThresholds.minimumOutwardRatio * sighting.time.seconds(since: previous.time)
    }
}
