import OdographCivilTime
import OdographGeodesy

/// The means of a window. Means are compared because they have less noise than single fixes.
struct WindowMean: Equatable, Sendable, Codable {
    /// The error of low reported speeds, m/s. Receivers, phones above all, smooth low speeds or hold them at 0; at
    /// walking speed the positions are more accurate.
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
    /// The mean of the reported speeds, m/s; nil if there are none.
    var reportedMetersPerSecond: Double?
    /// The mean interval between reported speeds, seconds.
    var reportIntervalSeconds: Double
    /// Whether one of the reported speeds was exactly 0.
    var hasZeroSpeed: Bool

    /// The reported speed as that of the whole window, with its variance.
    var reportedSpeed: Speed? {
        // The speed changes between reports, so a long interval makes it less certain.
        let change = ReceiverErrorModel.speedChangeMetersPerSecond(withinSeconds: reportIntervalSeconds)
        return finalSpeed.map { Speed(metersPerSecond: $0.metersPerSecond, variance: $0.variance + change * change) }
    }

    /// The reported speed as that of its instant, with its variance.
    var finalSpeed: Speed? {
        guard let reportedMetersPerSecond else { return nil }
        let noise = ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: accuracyMeters)
        return Speed(
            metersPerSecond: reportedMetersPerSecond,
            variance: noise * noise + Self.lowSpeedErrorMetersPerSecond * Self.lowSpeedErrorMetersPerSecond)
    }

    /// Returns the speed of the displacement from another window; nil if the two are less than 1 s apart.
    func displacementSpeed(from start: WindowMean) -> Speed? {
        let seconds = time.seconds(since: start.time)
        guard seconds >= 1 else { return nil }
        let drift = ReceiverErrorModel.driftMeters(accuracyMeters: max(accuracyMeters, start.accuracyMeters)) / seconds
        return Speed(
            metersPerSecond: start.coordinate.distanceMeters(to: coordinate) / seconds, variance: drift * drift)
    }

    /// Returns the highest speed between two windows that their reported speeds allow, m/s; infinite if unknown.
    /// - Parameter displacementSpeed: the speed of the displacement between them.
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
