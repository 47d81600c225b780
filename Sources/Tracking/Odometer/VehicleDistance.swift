import OdographCivilTime
import OdographModel

/// The distance by the vehicle's own signals: the speed of its wheels, and its counter where there is none.
struct VehicleDistance: Equatable, Sendable, Codable {
    private var wheels: SignalDistance
    private var counter: SignalDistance

    init() { (wheels, counter) = (SignalDistance(), SignalDistance()) }

    /// The distance since the newest fix of the odometer, if no fix has come for a while, metres, ≥ 0.
    var pendingMeters: Double { max(wheels.pendingMeters, counter.pendingMeters) }

    /// Takes believed signals.
    mutating func update(with signals: VehicleSignals) {
        let uptime = signals.received.uptimeMilliseconds
        if let speed = signals.wheelSpeedMetersPerSecond { wheels.add(speedMetersPerSecond: speed, at: uptime) }
        if let meters = signals.odometerMeters { counter.add(counterMeters: meters, at: uptime) }
    }

    /// Returns the distance from the newest fix of the odometer to this one; nil if it is not known.
    func leg(to fix: Fix) -> SegmentDistance? { wheels.leg(to: fix) ?? counter.leg(to: fix) }

    /// Notes that a fix is the newest of the odometer.
    mutating func mark(_ fix: Fix) {
        wheels.mark(fix)
        counter.mark(fix)
    }

    /// Learns the scales from a distance that the satellites measured, before ``mark(_:)``.
    /// - Parameter isComplete: whether nothing of the distance is undecided, as at a stop.
    mutating func learn(from leg: SegmentDistance, to fix: Fix, isComplete: Bool) {
        wheels.learn(from: leg, to: fix, isComplete: isComplete)
        counter.learn(from: leg, to: fix, isComplete: isComplete)
    }

    /// Ends the stretches for the scales.
    mutating func interruptLearning() {
        wheels.interruptLearning()
        counter.interruptLearning()
    }

    /// Forgets the readings, and keeps the scales.
    mutating func interrupt() {
        wheels.interrupt()
        counter.interrupt()
    }
}

/// The distance by the satellites, which teaches the scale of the vehicle's signals.
extension TrackOdometer {
    /// Returns the distance that the speeds of the satellites measured from the track before to a fix; nil where they
    /// did not.
    func measuredLeg(since before: TrackOdometer, to fix: Fix) -> SegmentDistance? {
        guard let last = before.newest, last.speedMetersPerSecond != nil, fix.speedMetersPerSecond != nil,
            fix.timestamp.seconds(since: last.timestamp) <= SegmentDistance.dopplerSpanSeconds
        else { return nil }
        return SegmentDistance(
            meters: totalMeters - before.totalMeters,
            varianceSquareMeters: max(varianceSquareMeters - before.varianceSquareMeters, 0))
    }

    /// Whether the distance to a fix is complete: at a stop, some of it may still be undecided.
    func isDriving(at fix: Fix) -> Bool {
        stopAnchor == nil && fix.speedMetersPerSecond.map { $0 >= Self.drivenMetersPerSecond } ?? false
    }

    /// The speed from which a vehicle certainly drives, m/s.
    private static let drivenMetersPerSecond = 3.0
}
