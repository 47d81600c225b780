import OdographCivilTime
import OdographModel

/// The handling of the vehicle's own signals.
extension Tracker {
    /// Takes signals, and begins or ends a movement that they show.
    mutating func handle(_ signals: VehicleSignals, at now: Timestamp, into outputs: inout [TrackerOutput]) {
        guard !isSuspended else { return }
        var vehicle = recent.vehicle ?? VehicleMonitor()
        vehicle.observe(signals.received)
        let believed = vehicle.update(with: signals, at: now)
        recent.vehicle = vehicle
        if vehicle.wheels.isCarried { odometer.interruptVehicle() } else { odometer.observe(believed) }
        // Without a position there is no record, and without the time no date.
        guard let fix = lastFix, agent.isTimeKnown else { return }
        if let start = vehicle.departure(at: now) {
            depart(at: start, now: now, into: &outputs)
        } else if let stop = vehicle.stop(fixMetersPerSecond: fix.speedMetersPerSecond) {
            park(at: stop, fix: fix, now: now, into: &outputs)
        }
    }

    private mutating func depart(at start: Timestamp, now: Timestamp, into outputs: inout [TrackerOutput]) {
        var log = revisionBatch(at: now)
        timeline.depart(at: start, odometerMeters: odometer.totalMeters, into: &log)
        emit(log, into: &outputs)
        guard recent.motion.isStationary else { return }
        recent.motion.depart()
        recordLastKnownPosition(.motionChange, at: now, into: &outputs)
    }

    private mutating func park(
        at stop: Timestamp, fix: Fix, now: Timestamp, into outputs: inout [TrackerOutput]
    ) {
        var log = revisionBatch(at: now)
        timeline.arrive(at: stop, fix: fix, odometerMeters: odometer.totalMeters, into: &log)
        emit(log, into: &outputs)
        guard recent.motion.isMoving else { return }
        recent.motion.park(at: fix.coordinate)
        recordLastKnownPosition(.motionChange, at: now, into: &outputs)
    }
}
