import CivilTime

/// Watches a speed against a limit: too fast when several fixes say so, until several say that it is kept again.
struct OverspeedDetector: Equatable, Sendable, Codable {
    /// A time of driving too fast.
    struct OverspeedInterval: Equatable {
        var start: Timestamp
        var end: Timestamp
        var peakMetersPerSecond: Double
    }

    let limitMetersPerSecond: Double
    private var start: Timestamp?
    private var firstFix: Timestamp?
    private var overCount = 0
    private var isCertain = false
    private var peak = 0.0
    private var end: Timestamp?
    private var firstBelow: Timestamp?
    private var belowCount = 0

    init(limitMetersPerSecond: Double) {
        self.limitMetersPerSecond = limitMetersPerSecond
    }

    /// A fix inside the fence.
    /// - Parameter last: the one before it, where there was no gap.
    /// - Returns: the excess that this fix ends.
    mutating func update(
        speed: Double, at time: Timestamp, after last: (speed: Double, time: Timestamp)?, isSparse: Bool
    ) -> OverspeedInterval? {
        if let last, Self.isSpike(speed, after: last.speed, seconds: time.seconds(since: last.time)) { return nil }
        if speed > limitMetersPerSecond {
            if start == nil {
                start = limitCrossing(to: speed, at: time, after: last)
                firstFix = time
            }
            overCount += 1
            peak = max(peak, speed)
            (end, firstBelow, belowCount) = (nil, nil, 0)
            let agreement = ChangeConfirmation(
                count: overCount, seconds: firstFix.map { time.seconds(since: $0) } ?? 0, isSparse: isSparse)
            isCertain = isCertain || agreement.isConfirmed
            return nil
        }
        guard start != nil else { return nil }
        if end == nil { end = limitCrossing(to: speed, at: time, after: last) }
        if !isCertain { overCount = 0 }
        guard speed <= limitMetersPerSecond - GeofenceThresholds.speedHysteresisMetersPerSecond else { return nil }
        if belowCount == 0 { firstBelow = time }
        belowCount += 1
        let agreement = ChangeConfirmation(
            count: belowCount, seconds: firstBelow.map { time.seconds(since: $0) } ?? 0, isSparse: isSparse)
        return agreement.isConfirmed || !isCertain ? finish(at: end ?? time) : nil
    }

    /// The fence was left, or is not watched any more.
    mutating func finish(at time: Timestamp) -> OverspeedInterval? {
        defer { self = OverspeedDetector(limitMetersPerSecond: limitMetersPerSecond) }
        guard let start, isCertain else { return nil }
        return OverspeedInterval(start: start, end: max(min(end ?? time, time), start), peakMetersPerSecond: peak)
    }

    /// No road vehicle changes its speed so fast: the receiver is wrong.
    private static func isSpike(_ speed: Double, after last: Double, seconds: Double) -> Bool {
        abs(speed - last)
            > ReceiverErrorModel.maximumAccelerationMetersPerSecondSquared * max(seconds, 0)
            + GeofenceThresholds.speedHysteresisMetersPerSecond
    }

    /// When the speed passed the limit on its way to this one.
    private func limitCrossing(to speed: Double, at time: Timestamp, after last: (speed: Double, time: Timestamp)?)
        -> Timestamp
    {
        guard let last, last.speed != speed else { return time }
        let share = min(max((limitMetersPerSecond - last.speed) / (speed - last.speed), 0), 1)
        return last.time.advanced(bySeconds: share * time.seconds(since: last.time))
    }
}
