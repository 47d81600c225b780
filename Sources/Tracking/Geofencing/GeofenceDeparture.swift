import OdographCivilTime
import OdographGeodesy

/// The evidence that a vehicle has left a geofence: positions outside.
struct GeofenceDeparture: Equatable, Sendable, Codable {
    private(set) var run = FixRun()
    /// The time since which all positions have been beyond the margin.
    private(set) var clearSince: Timestamp?

    /// Adds a position outside.
    /// - Parameter exitTime: when the fixes crossed the edge; nil where they are inside.
    /// - Returns: whether enough fixes in a row are outside, and the vehicle is clear of the geofence or drives away.
    mutating func update(_ sighting: GeofenceSighting, in index: ShapeIndex, exitedAt exitTime: Timestamp?) -> Bool {
        let (slot, step) = (sighting.slot, sighting.step)
        let agreement = run.add(step)
        let margin = GeofenceThresholds.exitMarginMeters(reachMeters: index.reachMeters(slot))
        let limit = margin + step.position.accuracyMeters
        // So far that a fix beyond the limit can still be distinguished from the one before it.
        let reach = limit + step.minimumOutwardMeters
        let distance = index.distanceMeters(slot, fromOutside: step.position.effectiveCoordinate, limit: reach)
        let isClear = updateClearance(isBeyond: distance > limit, by: step)
        guard agreement >= .confirmed else { return false }
        if isClear { return true }
        let known = min(distance, reach)
        guard let exitTime, let previous = step.previous, !previous.isStationary,
            isDrivingAway(step, exitedAt: exitTime, marginMeters: margin, distanceMeters: known)
        else { return false }
        let before = index.distanceMeters(slot, fromOutside: previous.coordinate, limit: known)
        return known - before >= step.minimumOutwardMeters
    }

    /// - Returns: whether the last fixes, more than one, are beyond the margin and their own accuracy.
    private mutating func updateClearance(isBeyond: Bool, by step: GeofenceStep) -> Bool {
        clearSince = isBeyond ? clearSince ?? step.time : nil
        guard let clearSince else { return false }
        return step.isSparse || step.time.seconds(since: clearSince) >= GeofenceThresholds.clearanceSeconds
    }

    /// Whether the measured speed confirms the movement outwards: noise shifts a position without it. Then the fix must
    /// be beyond margin and accuracy, not their sum, and may reach the margin with its stopping distance.
    private func isDrivingAway(
        _ step: GeofenceStep, exitedAt exitTime: Timestamp, marginMeters margin: Double, distanceMeters distance: Double
    ) -> Bool {
        guard !step.isSparse, !step.position.isStationary, let speed = step.position.speedMetersPerSecond,
            speed >= GeofenceThresholds.certainSpeedMetersPerSecond
        else { return false }
        let stopping = speed * speed / (2 * ReceiverErrorModel.maximumAccelerationMetersPerSecondSquared)
        let outward = speed * GeofenceThresholds.minimumOutwardRatio * step.time.seconds(since: exitTime)
        return distance > step.position.accuracyMeters && distance + stopping >= margin && distance >= outward
    }
}
