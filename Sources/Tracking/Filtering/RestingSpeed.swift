import OdographCivilTime
import OdographModel

/// Learns at stops which speeds the receiver reports at rest, to distinguish creeping in a queue from rest.
///
/// The noise of Doppler speeds differs by a factor of ten between receivers and places. The median counts: a passing
/// bus does not change it.
struct RestingSpeed: Equatable, Sendable, Codable {
    /// The least speed that can be movement, m/s: the resolution of reported speeds, and the sway of a vehicle at rest.
    private static let leastMetersPerSecond = 0.15
    /// The speed of movement in medians: a normal distribution exceeds four medians, 2.7 standard deviations, in seven
    /// of a thousand cases.
    private static let mediansPerMovement = 4.0
    /// The speed that a speed of exactly 0 stands for, m/s. Such a receiver reports 0 below a threshold of about 0.3
    /// m/s. If nine of ten speeds at rest are below it, the median of a normal distribution is this.
    private static let heldMetersPerSecond = 0.12
    /// The least number of speeds at rest that count.
    private static let leastCount = 20
    /// The least step of the approximation, as a share: a minute of fixes a second.
    private static let leastStep = 1.0 / 60

    /// The median of the speeds, relative to the standard error that the accuracy of their fixes suggests.
    private var median = 0.0
    private var count = 0

    /// Takes a speed at rest.
    mutating func update(with speed: Double, of fix: Fix) {
        count = min(count + 1, 10_000)
        let ratio = (speed > 0 ? speed : Self.heldMetersPerSecond) / Self.errorMetersPerSecond(of: fix)
        median = runningMedian(median, after: ratio, step: max(1 / Double(count).squareRoot(), Self.leastStep))
    }

    /// Returns the speed from which the vehicle moves, m/s: a limit for unknown receivers, or less if the speeds at
    /// rest are lower.
    func movementMetersPerSecond(of fix: Fix, atMost limit: Double) -> Double {
        guard count >= Self.leastCount else { return limit }
        let noise = Self.mediansPerMovement * median * Self.errorMetersPerSecond(of: fix)
        return min(limit, max(Self.leastMetersPerSecond, noise))
    }

    private static func errorMetersPerSecond(of fix: Fix) -> Double {
        ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: fix.likelyAccuracyMeters)
    }
}
