import CivilTime
import Geodesy

/// Counts the way, and how wrong the count can be.
struct Odometer: Hashable, Sendable, Codable {
    /// Up to this many seconds between two fixes the integral of their Doppler speeds is the better way, beyond it the
    /// straight line: speed is sampled too seldom then.
    private static let dopplerSpanSeconds = 5.0
    /// One standard error of a Doppler speed, m/s: the noise of consumer receivers in motion.
    private static let dopplerNoiseMetersPerSecond = 0.2
    /// A road is longer than the straight line between two far points of it by about this part.
    private static let detourPart = 0.2

    /// Distance since it was last set, metres.
    private(set) var meters = 0.0
    /// The sum of the squared standard errors of the ways, m².
    private var varianceSquareMeters = 0.0
    private var last: Fix?

    /// Half the width of the interval that holds the true distance in 95 of 100 cases, metres.
    var errorMeters: Double { 1.96 * varianceSquareMeters.squareRoot() }

    /// Sets the distance; the error begins at 0.
    mutating func set(toMeters value: Double) {
        meters = value
        varianceSquareMeters = 0
    }

    /// Counts the way to a fix; while parked there is none, only a new point to start from.
    mutating func advance(to fix: Fix, isMoving: Bool) {
        defer { last = fix }
        guard isMoving, let last else { return }
        let seconds = fix.timestamp.seconds(since: last.timestamp)
        let straight = last.coordinate.distanceMeters(to: fix.coordinate)
        if let from = last.speedMetersPerSecond, let to = fix.speedMetersPerSecond, seconds <= Self.dopplerSpanSeconds {
            meters += (from + to) / 2 * seconds
            let error = Self.dopplerNoiseMetersPerSecond * seconds
            varianceSquareMeters += error * error
        } else {
            meters += straight
            let noise = (fix.accuracyMeters ?? FixNoise.assumedAccuracyMeters) / 1.96
            let detour = seconds > Self.dopplerSpanSeconds ? straight * Self.detourPart : 0
            varianceSquareMeters += noise * noise + detour * detour
        }
    }

    /// The way to a fix is not known: nothing is counted, and the straight line to it may be missing.
    mutating func skip(to fix: Fix) {
        if let last {
            let straight = last.coordinate.distanceMeters(to: fix.coordinate)
            varianceSquareMeters += straight * straight / (1.96 * 1.96)
        }
        last = fix
    }
}
