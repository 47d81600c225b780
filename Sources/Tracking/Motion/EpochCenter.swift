import CivilTime
import Geodesy

/// The means of an epoch; means are compared because a mean is quieter than a fix.
struct EpochCenter: Equatable, Sendable, Codable {
    /// Receivers smooth low speeds and hold them at 0, phones most of all, m/s: at a walk the positions know better.
    static let filterMetersPerSecond = 0.3

    /// A speed and the square of its standard error.
    struct Speed: Equatable {
        /// The speed, m/s.
        var metersPerSecond: Double
        /// The square of its standard error, m²/s².
        var variance: Double
    }

    var time: Timestamp
    var coordinate: Coordinate
    var accuracyMeters: Double
    /// The mean of the speeds told, m/s; nil where none were.
    var toldMetersPerSecond: Double?
    /// How far they were apart, seconds.
    var toldEverySeconds: Double
    /// Whether one of them was 0 to the last digit.
    var hasHeld: Bool

    /// The speed by what the receiver told of it.
    var told: Speed? {
        guard let toldMetersPerSecond else { return nil }
        let noise = FixNoise.dopplerMetersPerSecond(accuracyMeters: accuracyMeters)
        // A single speed says less of a minute than of a second: it changes.
        let change = FixNoise.speedChange(withinSeconds: toldEverySeconds)
        return Speed(
            metersPerSecond: toldMetersPerSecond,
            variance: noise * noise + change * change + Self.filterMetersPerSecond * Self.filterMetersPerSecond)
    }

    /// The speed by the way from another; nil where they are too close in time.
    func made(from start: EpochCenter) -> Speed? {
        let seconds = time.seconds(since: start.time)
        guard seconds >= 1 else { return nil }
        let drift = FixNoise.driftMeters(accuracyMeters: max(accuracyMeters, start.accuracyMeters)) / seconds
        return Speed(
            metersPerSecond: start.coordinate.distanceMeters(to: coordinate) / seconds, variance: drift * drift)
    }

    /// The fastest that the way from another can have been made by the speeds told at both; infinite where they say too
    /// little.
    /// - Parameter made: the speed by the way.
    func fastestMetersPerSecond(from start: EpochCenter, made: Speed) -> Double {
        guard let told, let before = start.toldMetersPerSecond, toldEverySeconds <= FixNoise.longestToldSeconds else {
            return .infinity
        }
        return FixNoise.fastestMetersPerSecond(
            told: max(before, told.metersPerSecond), isHeld: hasHeld || start.hasHeld,
            noise: (told.variance + made.variance).squareRoot())
    }
}
