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
        /// A position that the receiver says no date with, or one that cannot be.
        case undatedFix(Fix)
        case skipped(SkipReason)
    }

    /// No true date is before this; see ``WeekRollover``.
    let earliestDate: Timestamp?
    /// Whether fixes are replayed: then they are mock, and the monotonic clock says nothing about them.
    let isReplay: Bool

    private(set) var undatedFixes = 0
    private(set) var datesCorrected = 0

    init(earliestDate: Timestamp?, isReplay: Bool) {
        self.earliestDate = earliestDate
        self.isReplay = isReplay
    }

    mutating func assemble(_ report: TPVReport, received: ClockReading) -> Outcome {
        guard let mode = report.mode, mode >= 2 else { return .skipped(.noFix) }
        guard let latitude = report.latitudeDegrees, let longitude = report.longitudeDegrees else {
            return .skipped(.noPosition)
        }
        guard let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
            return .skipped(.badCoordinate)
        }
        if let time = time(of: report, received: received) {
            return .fix(
                fix(
                    report, at: coordinate, timestamp: time,
                    received: isReplay ? ClockReading(replayed: time) : received))
        }
        // A capture has no clock beside it that could date a position afterwards.
        guard !isReplay else { return .skipped(.noTime) }
        undatedFixes += 1
        return .undatedFix(fix(report, at: coordinate, timestamp: received.systemTime, received: received))
    }

    private func fix(
        _ report: TPVReport, at coordinate: Coordinate, timestamp: Timestamp, received: ClockReading
    ) -> Fix {
        Fix(
            timestamp: timestamp, received: received, coordinate: coordinate,
            accuracyMeters: Self.accuracy(of: report), speedMetersPerSecond: report.speedMetersPerSecond,
            speedAccuracyMetersPerSecond: report.epsMetersPerSecond, headingDegrees: report.trackDegrees,
            altitudeMeters: Self.altitude(of: report), ellipsoidalAltitudeMeters: report.altitudeHAEMeters,
            isMock: isReplay)
    }

    /// The receiver's date; nil where it says none, or one that is long past however its weeks are counted.
    private mutating func time(of report: TPVReport, received: ClockReading) -> Timestamp? {
        guard let reported = report.time else { return nil }
        let time = WeekRollover.corrected(reported, earliest: earliestDate, now: received)
        if time != reported { datesCorrected += 1 }
        if let earliestDate, time < earliestDate { return nil }
        return time
    }

    private static func accuracy(of report: TPVReport) -> Double? {
        if let eph = report.ephMeters, eph > 0 { return eph }
        guard let epx = report.epxMeters, let epy = report.epyMeters, epx > 0, epy > 0 else { return nil }
        // Infinite where one of them is absurd: then the fix takes the worst accuracy that there can be.
        return (epx * epx + epy * epy).squareRoot()
    }

    /// gpsd before 3.20 had `alt` only, and meant above mean sea level.
    private static func altitude(of report: TPVReport) -> Double? {
        let hasNewer = report.altitudeMSLMeters != nil || report.altitudeHAEMeters != nil
        return hasNewer ? report.altitudeMSLMeters : report.altitudeMeters
    }
}
