import CivilTime
import Geodesy

/// Tells how much of the step from one position to the next no movement explains.
///
/// Where satellites come and go behind houses, positions hop or glide by tens of metres. The Doppler speed beside them knows
/// next to nothing of it: the loop that follows the frequency keeps to the strongest signal, and a reflection hardly spoils
/// it (Xu and Rife 2020). So a step is a way as far as the speed that was told over the same time explains it, and a hop of
/// the position beyond.
struct MultipathJumpDetector: Equatable, Sendable, Codable {
    /// Of positions that follow each other more closely the noise is longer than the way, seconds.
    private static let minimumStepSeconds = 0.9
    /// Without speeds steps say something of each other when they follow as closely as this, seconds.
    private static let maximumStepSecondsWithoutSpeed = 3.0
    /// No road vehicle sets off faster, m/s²: it takes 5.5 s to 100 km/h.
    private static let maximumStartAccelerationMetersPerSecondSquared = 5.0
    /// Without speeds what is told of a step is how fast the one before was, with the noise of both: only one that is so many
    /// times as long as could be is no way.
    private static let jumpRatio = 2.0

    private var last: Fix?
    /// When the receiver first told the position that `last` has: one that holds its position while it stands goes on
    /// from where it is by then.
    private var since: Timestamp?
    /// How fast the last step was, less what was a hop, m/s; nil where it says nothing of the next.
    private var stepMetersPerSecond: Double?

    /// The part of the step to the next fix that is a hop; nil where there is none, or nobody can tell.
    mutating func detectJump(to fix: Fix) -> LocalPoint? {
        if let last, abs(fix.timestamp.seconds(since: last.timestamp)) < Self.minimumStepSeconds { return nil }
        defer {
            if last?.coordinate != fix.coordinate { since = fix.timestamp }
            last = fix
        }
        guard let last, let since else { return nil }
        let seconds = fix.timestamp.seconds(since: since)
        guard seconds > 0, seconds <= ReceiverErrorModel.maximumSpeedIntervalSeconds else {
            stepMetersPerSecond = nil
            return nil
        }
        let step = LocalPlane(origin: last.coordinate).eastNorthMeters(of: fix.coordinate)
        let length = step.distanceMeters(to: .zero)
        let longest = maximumStepMeters(from: last, to: fix, length: length, seconds: seconds)
        stepMetersPerSecond = min(length, longest) / seconds
        return length > longest ? step.scaled(by: 1 - longest / length) : nil
    }

    /// The longest way that the movement explains, metres; infinite where nobody can tell.
    private func maximumStepMeters(from start: Fix, to end: Fix, length: Double, seconds: Double) -> Double {
        let accuracy = max(start.assumedAccuracyMeters, end.assumedAccuracyMeters)
        if let from = start.speedMetersPerSecond, let to = end.speedMetersPerSecond {
            let noise = ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: accuracy)
            let change = ReceiverErrorModel.speedChangeMetersPerSecond(withinSeconds: seconds)
            return ReceiverErrorModel.maximumSpeedMetersPerSecond(
                reported: max(from, to), isStaticHold: min(from, to) == 0,
                noise: (noise * noise + change * change).squareRoot())
                * seconds
        }
        guard let before = stepMetersPerSecond, seconds <= Self.maximumStepSecondsWithoutSpeed else { return .infinity }
        let longest =
            (before + Self.maximumStartAccelerationMetersPerSecondSquared / 2 * seconds) * seconds
            + 3 * ReceiverErrorModel.driftMeters(accuracyMeters: accuracy)
        return length > Self.jumpRatio * longest ? longest : .infinity
    }
}
