import CivilTime
import Geodesy

/// The means of an epoch; means are compared because a mean is quieter than a fix.
struct WindowMean: Equatable, Sendable, Codable {
    /// Receivers smooth low speeds and hold them at 0, phones most of all, m/s: at a walk the positions know better.
    static let lowSpeedErrorMetersPerSecond = 0.3

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
    var reportedMetersPerSecond: Double?
    /// How far they were apart, seconds.
    var reportIntervalSeconds: Double
    /// Whether one of them was 0 to the last digit.
    var hasZeroSpeed: Bool

    /// The speed by what the receiver told of it.
    var reportedSpeed: Speed? {
        guard let reportedMetersPerSecond else { return nil }
        let noise = ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: accuracyMeters)
        // A single speed says less of a minute than of a second: it changes.
        let change = ReceiverErrorModel.speedChangeMetersPerSecond(withinSeconds: reportIntervalSeconds)
        return Speed(
            metersPerSecond: reportedMetersPerSecond,
            variance: noise * noise + change * change + Self.lowSpeedErrorMetersPerSecond
                * Self.lowSpeedErrorMetersPerSecond)
    }

    /// The speed by the way from another; nil where they are too close in time.
    func displacementSpeed(from start: WindowMean) -> Speed? {
        let seconds = time.seconds(since: start.time)
        guard seconds >= 1 else { return nil }
        let drift = ReceiverErrorModel.driftMeters(accuracyMeters: max(accuracyMeters, start.accuracyMeters)) / seconds
        return Speed(
            metersPerSecond: start.coordinate.distanceMeters(to: coordinate) / seconds, variance: drift * drift)
    }

    /// The fastest that the way from another can have been made by the speeds told at both; infinite where they say too
    /// little.
    /// - Parameter made: the speed by the way.
    func maximumMetersPerSecond(from start: WindowMean, displacementSpeed: Speed) -> Double {
        guard let reportedSpeed, let before = start.reportedMetersPerSecond,
            reportIntervalSeconds <= ReceiverErrorModel.maximumSpeedIntervalSeconds
        else {
            return .infinity
        }
        return ReceiverErrorModel.maximumSpeedMetersPerSecond(
            reported: max(before, reportedSpeed.metersPerSecond), isStaticHold: hasZeroSpeed || start.hasZeroSpeed,
            noise: (reportedSpeed.variance + displacementSpeed.variance).squareRoot())
    }
}
