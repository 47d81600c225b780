import OdographCivilTime
import OdographModel

/// Merges the reports of one cycle, the instant of a receiver's measurement, and decides when the cycle is complete.
///
/// gpsd sends a report after each sentence that it takes for the end of a cycle: 3.22 mostly one a cycle, 3.25 up to
/// ten. The first can have a speed that gpsd derived from two positions, and no track; the receiver's own values come
/// with a later one. So a cycle lasts until the next one begins, or until its reports are the same as those of the
/// cycles before, see ``CyclePattern``.
struct CycleAssembler {
    /// The merged reports of one cycle.
    struct Cycle {
        var report: TPVReport
        /// The arrival of the first report: the nearest to the instant of the measurement.
        let received: ClockReading
    }

    /// The longest time between two reports of one cycle that have no common date, milliseconds: half a second, the
    /// usual distance of cycles being one.
    private static let longestUndatedMilliseconds: Int64 = 500
    /// The longest time between two reports of one cycle, milliseconds. A receiver whose date stands still has cycles
    /// with the same date.
    private static let longestMilliseconds: Int64 = 2000

    private var cycle: Cycle?
    /// Whether the cycle was taken. Its further reports only show the pattern.
    private var isTaken = false
    private var arrivals = CycleArrivals()
    private var pattern = CyclePattern()

    /// Whether a cycle waits for its end.
    var isWaiting: Bool { cycle != nil && !isTaken }

    /// Whether further reports of the cycle are expected by a known pattern.
    var isIncomplete: Bool { isWaiting && pattern.isKnown }

    /// Whether a report belongs to the cycle of the last one.
    func continues(_ report: TPVReport, at now: ClockReading) -> Bool {
        guard let cycle else { return false }
        let passed = now.uptimeMilliseconds - cycle.received.uptimeMilliseconds
        if let time = report.time, let known = cycle.report.time {
            return time == known && passed < Self.longestMilliseconds
        }
        return report.latitudeDegrees == cycle.report.latitudeDegrees
            && report.longitudeDegrees == cycle.report.longitudeDegrees && passed < Self.longestUndatedMilliseconds
    }

    /// Adds a report that continues the cycle.
    mutating func merge(_ report: TPVReport, at now: ClockReading) {
        arrivals.addPosition(hasTrack: report.trackDegrees != nil, at: now.uptimeMilliseconds)
        if !isTaken { cycle?.report.merge(report) }
    }

    /// Begins a cycle with a report. Take the cycle before it first.
    mutating func begin(_ report: TPVReport, at now: ClockReading) {
        if cycle != nil {
            arrivals.end(at: now.uptimeMilliseconds)
            pattern.learn(arrivals)
        }
        cycle = Cycle(report: report, received: now)
        isTaken = false
        arrivals = CycleArrivals()
        arrivals.addPosition(hasTrack: report.trackDegrees != nil, at: now.uptimeMilliseconds)
    }

    /// Forgets the cycle, so that it does not count for the pattern.
    mutating func forgetCycle() {
        cycle = nil
        isTaken = false
    }

    /// Notes a report of another class, which shows that the receiver still sends.
    mutating func noteOtherReport(at now: ClockReading) {
        if cycle != nil { arrivals.addOther(at: now.uptimeMilliseconds) }
    }

    /// Takes the cycle whatever may follow; nil if none waits.
    mutating func take() -> Cycle? {
        guard isWaiting else { return nil }
        isTaken = true
        return cycle
    }

    /// The time at which the waiting cycle counts as complete, on the monotonic clock; nil if none waits.
    var dueUptimeMilliseconds: Int64? { isWaiting ? pattern.dueUptimeMilliseconds(of: arrivals) : nil }
}

extension TPVReport {
    /// Takes the values of a later report of the same cycle. Values that were measured together stay together. A speed
    /// without a track does not replace one with a track: gpsd derives the former from positions.
    ///
    /// A logger that cuts its dates to seconds gives several measurements one date. The first one is the nearest to it,
    /// so another position only adds what is missing.
    fileprivate mutating func merge(_ later: TPVReport) {
        mode = later.mode ?? mode
        jam = later.jam ?? jam
        time = time ?? later.time
        let hasOtherPlace =
            later.latitudeDegrees != nil && latitudeDegrees != nil
            && (later.latitudeDegrees != latitudeDegrees || later.longitudeDegrees != longitudeDegrees)
        if latitudeDegrees == nil || longitudeDegrees == nil {
            (latitudeDegrees, longitudeDegrees) = (later.latitudeDegrees, later.longitudeDegrees)
        }
        if later.hasAltitude, !hasOtherPlace || !hasAltitude {
            altitudeMSLMeters = later.altitudeMSLMeters
            altitudeHAEMeters = later.altitudeHAEMeters
            altitudeMeters = later.altitudeMeters
        }
        if later.hasError, !hasOtherPlace || !hasError {
            (ephMeters, epxMeters, epyMeters) = (later.ephMeters, later.epxMeters, later.epyMeters)
        }
        let isBetter = later.trackDegrees != nil || later.speedMetersPerSecond != nil && trackDegrees == nil
        if isBetter, !hasOtherPlace || trackDegrees == nil {
            speedMetersPerSecond = later.speedMetersPerSecond
            trackDegrees = later.trackDegrees
            epsMetersPerSecond = later.epsMetersPerSecond
        }
    }

    private var hasAltitude: Bool { altitudeMSLMeters != nil || altitudeHAEMeters != nil || altitudeMeters != nil }
    private var hasError: Bool { ephMeters != nil || epxMeters != nil || epyMeters != nil }
}
