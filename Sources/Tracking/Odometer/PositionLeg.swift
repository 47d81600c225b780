import OdographGeodesy
import OdographModel

/// The distance between two positions without speeds, long enough that their noise hardly lengthens it.
///
/// Noise across a line of length L lengthens it by its variance / 2 L. (Noise along it cancels from one leg to the
/// next.) So a leg must be long compared with the noise, and what remains is subtracted.
enum PositionLeg {
    /// The least length in standard deviations of the independent noise: it then lengthens a leg by 1.6 %, and a leg is
    /// still short compared with the distance between corners.
    private static let leastDeviations = 8.0
    /// The same in standard errors of the drift, which is not independent.
    private static let leastDrifts = 4.0
    /// The least time without a leg that is a stop, seconds.
    private static let shortestStopSeconds = 20.0
    /// The slowest walk, m/s; who moves less in the time of a leg stands.
    private static let slowestMetersPerSecond = 0.5

    /// The length in standard deviations of the noise of a position that 95 % of the lines between two positions at one
    /// place do not exceed: both ends have the noise on both axes, so it is √2 of the quantile of Rayleigh's
    /// distribution, √(−2 ln 0.05).
    private static let restDeviations = 3.46

    /// Returns the distance between two positions up to which they can be of one place, metres.
    static func restMeters(of fix: Fix, noiseMeters deviation: Double) -> Double {
        max(fix.assumedAccuracyMeters, restDeviations * deviation)
    }

    static func leastMeters(to fix: Fix, noiseMeters deviation: Double) -> Double {
        max(
            leastDrifts * ReceiverErrorModel.driftMeters(accuracyMeters: fix.assumedAccuracyMeters),
            leastDeviations * deviation)
    }

    /// Returns the time without a leg after which the vehicle stands, seconds.
    static func stationarySeconds(overMeters meters: Double) -> Double {
        max(shortestStopSeconds, meters / slowestMetersPerSecond)
    }

    /// Returns the distance of a leg.
    static func segment(
        from start: Fix, to end: Fix, tortuosity: Tortuosity, noiseMeters deviation: Double
    ) -> SegmentDistance {
        SegmentDistance(
            from: start.withoutSpeed, to: end.withoutSpeed, tortuosity: tortuosity, noiseMeters: deviation)
    }

    /// Returns by how much noise lengthens a line, metres. Of a long line only the noise across it counts: its variance
    /// over twice the length. The mean square of a line that can be noise alone has the noise along it, too (the
    /// distribution of Rice; Gudbjartsson and Patz 1995).
    static func excessMeters(ofLine straight: Double, noiseMeters deviation: Double) -> Double {
        // Both ends have the noise.
        let variance = 2 * deviation * deviation
        guard straight < restDeviations * deviation else { return straight > 0 ? variance / 2 / straight : 0 }
        return straight - max(straight * straight - 2 * variance, 0).squareRoot()
    }

    /// The relative standard error of ``excessMeters(ofLine:noiseMeters:)``: that of the variance that a minute of
    /// fixes gives.
    static let excessRelativeError = 0.3
}
