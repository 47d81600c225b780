import CivilTime
import Geodesy
import Tracking

/// Makes fixes of the reports of one receiver, and says why where it cannot.
///
/// Accuracy: gpsd_json(5) calls the certainty of `eph`, `epx` and `epy` unknown, but gpsd computes them as dilution of
/// precision × a range error for which its `gpsd.h` states 95 % (`H_UERE_NO_DGPS`). They are therefore taken as the 95 %
/// radius without a factor: `eph` where it is there, else the hypotenuse of `epx` and `epy`. A receiver that computes a
/// value of its own may mean less by it.
struct FixAssembler {
    enum Outcome: Hashable {
        case fix(Fix)
        case skipped(SkipReason)
    }

    /// For how long after a dated fix an undated one is dated by the monotonic clock. A crystal drifts below 0.1 ms/s.
    static let undatedForSeconds = 10.0

    /// No true date is before this; see ``WeekRollover``.
    let earliestDate: Timestamp?
    /// Whether fixes are replayed: then they are mock, and the monotonic clock says nothing about them.
    let isReplay: Bool

    private var lastDated: (time: Timestamp, received: Moment)?
    private(set) var timesDerived = 0
    private(set) var datesCorrected = 0

    init(earliestDate: Timestamp?, isReplay: Bool) {
        self.earliestDate = earliestDate
        self.isReplay = isReplay
    }

    /// Forgets what the receiver said: another one, or a new connection, follows.
    mutating func reset() {
        lastDated = nil
    }

    mutating func assemble(_ report: TPVReport, received: Moment) -> Outcome {
        guard let mode = report.mode, mode >= 2 else { return .skipped(.noFix) }
        guard let latitude = report.latitudeDegrees, let longitude = report.longitudeDegrees else {
            return .skipped(.noPosition)
        }
        guard let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
            return .skipped(.badCoordinate)
        }
        guard let time = time(of: report, received: received) else { return .skipped(.noTime) }
        return .fix(
            Fix(
                timestamp: time,
                received: isReplay ? Moment(replayed: time) : received,
                coordinate: coordinate,
                accuracyMeters: Self.accuracy(of: report),
                speedMetersPerSecond: Self.known(report.speedMetersPerSecond, atLeast: 0),
                speedAccuracyMetersPerSecond: Self.positive(report.epsMetersPerSecond),
                headingDegrees: Self.normalizedHeading(report.trackDegrees),
                altitudeMeters: Self.altitude(of: report),
                ellipsoidalAltitudeMeters: Self.known(report.altitudeHAEMeters, atLeast: -.greatestFiniteMagnitude),
                isMock: isReplay))
    }

    private mutating func time(of report: TPVReport, received: Moment) -> Timestamp? {
        guard let reported = report.time else {
            guard !isReplay, let lastDated else { return nil }
            let elapsed = received.uptimeMilliseconds - lastDated.received.uptimeMilliseconds
            guard elapsed >= 0, Double(elapsed) <= Self.undatedForSeconds * 1000 else { return nil }
            timesDerived += 1
            return lastDated.time.advanced(byMilliseconds: elapsed)
        }
        let time = WeekRollover.corrected(reported, earliest: earliestDate, now: received)
        if time != reported { datesCorrected += 1 }
        lastDated = (time, received)
        return time
    }

    private static func accuracy(of report: TPVReport) -> Double? {
        if let eph = positive(report.ephMeters) { return eph }
        guard let epx = positive(report.epxMeters), let epy = positive(report.epyMeters) else { return nil }
        return (epx * epx + epy * epy).squareRoot()
    }

    /// gpsd before 3.20 had `alt` only, and meant above mean sea level.
    private static func altitude(of report: TPVReport) -> Double? {
        let hasNewer = report.altitudeMSLMeters != nil || report.altitudeHAEMeters != nil
        return known(
            hasNewer ? report.altitudeMSLMeters : report.altitudeMeters, atLeast: -.greatestFiniteMagnitude)
    }

    static func normalizedHeading(_ degrees: Double?) -> Double? {
        guard let degrees, degrees.isFinite else { return nil }
        let remainder = degrees.truncatingRemainder(dividingBy: 360)
        let heading = remainder < 0 ? remainder + 360 : remainder
        // A tiny negative angle rounds to 360 itself.
        return heading < 360 ? heading : 0
    }

    static func positive(_ value: Double?) -> Double? {
        guard let value, value.isFinite, value > 0 else { return nil }
        return value
    }

    static func known(_ value: Double?, atLeast lowest: Double) -> Double? {
        guard let value, value.isFinite, value >= lowest else { return nil }
        return value
    }
}
