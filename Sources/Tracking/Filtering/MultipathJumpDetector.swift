import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Detects the part of a step between positions that no movement explains.
///
/// Where buildings block satellites, positions jump or glide by tens of metres. The Doppler speed is hardly affected:
/// the frequency loop follows the strongest signal, and a reflection hardly changes it (Xu and Rife 2020). So a step
/// counts as movement as far as the reported speeds explain it, and the rest is a position jump.
struct MultipathJumpDetector: Equatable, Sendable, Codable {
    /// The minimum time between compared positions, seconds: below it the noise is longer than the movement.
    private static let minimumStepSeconds = 0.9
    /// Without speeds, the longest time between steps that can be compared, seconds.
    private static let maximumStepSecondsWithoutSpeed = 3.0
    /// The largest acceleration of a road vehicle from rest, m/s²: 100 km/h after 5.5 s.
    private static let maximumStartAccelerationMetersPerSecondSquared = 5.0
    /// Without speeds, the ratio to the longest plausible step from which a step is a jump. That length follows from
    /// the previous step and includes the noise of both.
    private static let jumpRatio = 2.0

    private var last: Fix?
    /// The time of the first report of the position of `last`: after a static hold, the movement begins then.
    private var since: Timestamp?
    /// The speed of the last step without its jump, m/s; nil if it cannot be compared with the next one.
    private var stepMetersPerSecond: Double?

    /// Returns the part of the step to the next fix that is a jump; nil if there is none or it cannot be determined.
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

    /// Returns the longest step that movement explains, metres; infinite if it cannot be determined.
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
