import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Creates fixes from the reports of one receiver, or gives the reason why there is none.
///
/// Accuracy: gpsd_json(5) does not state the confidence of `eph`, `epx` and `epy`. But gpsd computes them as dilution
/// of precision × a range error that its `gpsd.h` gives for 95 % (`H_UERE_NO_DGPS`). So they are used as the 95 %
/// radius without a factor: `eph` if present, otherwise the hypotenuse of `epx` and `epy`. If a receiver supplies its
/// own value, that value may stand for a lower confidence.
struct FixAssembler {
    enum Outcome: Hashable {
        case fix(Fix)
        /// A position without a date, or with an impossible one.
        case undatedFix(Fix)
        case skipped(SkipReason)
    }

    /// The lower limit of true dates; see ``WeekRollover``.
    let earliestDate: Timestamp?
    /// Whether fixes are replayed. Then they are marked as mock, and the machine's clocks do not apply.
    let isReplay: Bool

    func assemble(_ report: TPVReport, received: ClockReading) -> Outcome {
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
        // A capture has no clock that could date the position later.
        guard !isReplay else { return .skipped(report.hasUnreadableTime ? .badTime : .noTime) }
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
            jammingLevel: report.jam.map { $0 / Self.severeJam }, isMock: isReplay)
    }

    /// gpsd's indicator of severe jamming. It sends 255 for a receiver that says "jammed" and 128 for one that says
    /// "spoofed or multipath", and passes on the indicator of u-blox receivers.
    private static let severeJam = 255.0

    /// Returns the receiver's date; nil if there is none, or if it is too early even after the correction of rollovers.
    private func time(of report: TPVReport, received: ClockReading) -> Timestamp? {
        guard let reported = report.time else { return nil }
        let time = WeekRollover.corrected(reported, earliest: earliestDate, now: received)
        if let earliestDate, time < earliestDate { return nil }
        return time
    }

    private static func accuracy(of report: TPVReport) -> Double? {
        if let eph = report.ephMeters, eph > 0 { return eph }
        guard let epx = report.epxMeters, let epy = report.epyMeters, epx > 0, epy > 0 else { return nil }
        // An absurd value may give infinity; the fix then has the worst possible accuracy.
        return (epx * epx + epy * epy).squareRoot()
    }

    /// Returns the height above mean sea level. gpsd before 3.20 sent it as `alt`.
    private static func altitude(of report: TPVReport) -> Double? {
        let hasNewer = report.altitudeMSLMeters != nil || report.altitudeHAEMeters != nil
        return hasNewer ? report.altitudeMSLMeters : report.altitudeMeters
    }
}
