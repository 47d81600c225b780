import OdographCivilTime

/// Compares a speed with a limit: too fast once enough fixes say so, until enough say that the limit is kept again.
struct OverspeedDetector: Equatable, Sendable, Codable {
    /// A time of driving too fast.
    struct Interval: Equatable {
        var start: Timestamp
        var end: Timestamp
        var peakMetersPerSecond: Double
    }

    struct Excess: Equatable, Codable {
        let start: Timestamp
        let firstFix: Timestamp
        /// Fixes above the limit since it was last kept.
        var count = 0
        var isCertain = false
        var peak = 0.0
        /// Nil while the speed is above the limit.
        var slowing: Slowing?
    }

    struct Slowing: Equatable, Codable {
        /// The time at which the speed passed the limit downwards.
        let start: Timestamp
        /// The fixes that are below the limit by more than noise.
        var run = FixRun()
    }

    let limitMetersPerSecond: Double
    private var excess: Excess?

    init(limitMetersPerSecond: Double) { self.limitMetersPerSecond = limitMetersPerSecond }

    /// Adds a fix inside the geofence.
    /// - Returns: the interval that this fix ends.
    mutating func update(_ step: GeofenceStep) -> Interval? {
        guard let speed = step.speedMetersPerSecond else { return nil }
        let time = step.time
        let last = step.previous.flatMap { last in last.speedMetersPerSecond.map { (speed: $0, time: last.time) } }
        if let last, Self.isSpike(speed, after: last.speed, seconds: time.seconds(since: last.time)) { return nil }
        if speed > limitMetersPerSecond {
            var current = excess ?? Excess(start: limitCrossing(to: speed, at: time, after: last), firstFix: time)
            current.count += 1
            current.peak = max(current.peak, speed)
            current.slowing = nil
            let agreement = FixAgreement(
                count: current.count, seconds: time.seconds(since: current.firstFix), isSparse: step.isSparse)
            current.isCertain = current.isCertain || agreement >= .confirmed
            excess = current
            return nil
        }
        guard var current = excess else { return nil }
        var slowing = current.slowing ?? Slowing(start: limitCrossing(to: speed, at: time, after: last))
        if !current.isCertain { current.count = 0 }
        let isKept = speed <= limitMetersPerSecond - GeofenceThresholds.speedHysteresisMetersPerSecond
        let agreement = isKept ? slowing.run.add(step) : .insufficient
        current.slowing = slowing
        excess = current
        return isKept && (agreement >= .confirmed || !current.isCertain) ? finish(at: slowing.start) : nil
    }

    /// Ends the interval, because the vehicle has left the geofence or its schedule closed.
    mutating func finish(at time: Timestamp) -> Interval? {
        defer { excess = nil }
        guard let excess, excess.isCertain else { return nil }
        return Interval(
            start: excess.start, end: max(min(excess.slowing?.start ?? time, time), excess.start),
            peakMetersPerSecond: excess.peak)
    }

    /// Whether no road vehicle changes its speed so fast, so that the receiver must be wrong.
    private static func isSpike(_ speed: Double, after last: Double, seconds: Double) -> Bool {
        abs(speed - last)
            > ReceiverErrorModel.maximumAccelerationMetersPerSecondSquared * max(seconds, 0)
            + GeofenceThresholds.speedHysteresisMetersPerSecond
    }

    /// The interpolated time at which the speed passed the limit.
    private func limitCrossing(to speed: Double, at time: Timestamp, after last: (speed: Double, time: Timestamp)?)
        -> Timestamp
    {
        guard let last, last.speed != speed else { return time }
        let share = min(max((limitMetersPerSecond - last.speed) / (speed - last.speed), 0), 1)
        return last.time.advanced(bySeconds: share * time.seconds(since: last.time))
    }
}
