import OdographCivilTime
import OdographModel

/// Starts and stops that the vehicle's own signals show.
extension TripSegmenter {
    /// Ends the trip that lasts, because the vehicle stands and its ignition is off. The end stays provisional: a drive
    /// that goes on soon makes the stop a halt.
    /// - Parameters:
    ///   - time: the start of the stop.
    ///   - fix: the newest fix.
    mutating func arrive(at time: Timestamp, fix: Fix, odometerMeters: Double, into batch: inout RevisionBatch) {
        guard let event = events.open, event.trip != nil, !events.isDepartureTentative, time > event.start,
            odometerMeters - event.startMeters >= batch.rules.shortestEndedSegmentMeters
        else { return }
        events.endProvisionally(at: time, meters: odometerMeters, into: &batch)
        let stop = Stop(center: RobustCenter(at: fix), arrivalMode: event.motion.mode)
        events.begin(.stationary(stop), at: time, meters: odometerMeters)
        events.polyline.removePoints(before: time)
        events.emitRevision(into: &batch)
    }

    /// Ends the stop that lasts, because the wheels turn.
    /// - Parameter time: the time since which they turn.
    mutating func depart(at time: Timestamp, odometerMeters: Double, into batch: inout RevisionBatch) {
        guard let event = events.open, event.isStationary, time > event.settledUntil else { return }
        if events.isHalt(until: time, batch.rules) {
            events.withdrawOpen(into: &batch)
        } else {
            var trip = Trip(motion: TripMotion(mode: .vehicle))
            trip.departurePlace = event.stop?.center?.coordinate
            events.endProvisionally(at: time, meters: odometerMeters, into: &batch)
            events.begin(.trip(trip), at: time, meters: odometerMeters)
            events.polyline.removePoints(before: time)
        }
        events.emitRevision(into: &batch)
    }
}
