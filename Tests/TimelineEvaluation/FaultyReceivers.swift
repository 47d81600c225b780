import OdographModel
import OdographTracking

/// The odometer with receivers that have one fault each, on days of three drives with an exact truth.
///
/// The truth must be inside the bound in 95 of 100 moments, and the bound at the end must be no wider than the errors
/// make necessary: twice their 95th percentile, or 30 m.
struct FaultyReceivers {
    /// A fault, with its name in the report.
    struct Row {
        var name: String
        var fault: FaultyReceiver.Fault
        /// The time between two drives, seconds.
        var standSeconds = 900
    }

    static let rows = [
        Row(name: "no fault", fault: .none),
        Row(name: "speed × 1.94", fault: .scale(1.94)),
        Row(name: "speed × 1.08", fault: .scale(1.08)),
        Row(name: "speed × 1.02", fault: .scale(1.02)),
        Row(name: "speed × 0.7", fault: .scale(0.7)),
        Row(name: "speed spikes", fault: .spikes),
        Row(name: "speed stays while parked", fault: .stuck),
        Row(name: "speed always 13 m/s", fault: .constant(13)),
        Row(name: "speed noise 1 m/s, parked 4 h", fault: .speedNoise(1), standSeconds: 4 * 3600),
        Row(name: "speed noise 0.7 m/s, parked 4 h", fault: .speedNoise(0.7), standSeconds: 4 * 3600),
        Row(name: "speed noise 0.6 m/s, parked 4 h", fault: .speedNoise(0.6), standSeconds: 4 * 3600),
        Row(name: "speed always 0", fault: .noSpeed),
        Row(name: "no speed", fault: .positionOnly),
        Row(name: "noise 2 m", fault: .noise(2)),
        Row(name: "noise 3 m", fault: .noise(3)),
        Row(name: "noise 5 m", fault: .noise(5)),
        Row(name: "4 decimals", fault: .rounded(0.0001)),
        Row(name: "minutes, 3 decimals", fault: .rounded(1 / 60_000)),
        Row(name: "track always 0", fault: .noTrack),
        Row(name: "cold start", fault: .coldStart),
        Row(name: "two receivers", fault: .interleaved),
        Row(name: "date jitters by 0.3 s", fault: .jitter(0.3)),
        Row(name: "outages", fault: .outages),
        Row(name: "street canyon, 60 m", fault: .canyon),
        Row(name: "tunnel", fault: .tunnel),
        Row(name: "poor, no speed", fault: .poor),
        Row(name: "date steps back by 11 s", fault: .setBack(11)),
        Row(name: "date steps back by 18 s", fault: .setBack(18)),
        Row(name: "date steps back by 60 s", fault: .setBack(60)),
        Row(name: "date steps forward by 18 s", fault: .setBack(-18)),
        Row(name: "a fix a minute, no speed", fault: .seldom),
    ]

    /// The rows of the short form, the interval of the fixes in seconds, the accuracy, and the mean error that was
    /// reached, rounded up, per cent.
    static let floors: [(Row, Int, FaultyReceiver.Accuracy, Double)] = [
        (Row(name: "speed × 1.94", fault: .scale(1.94)), 1, .honest, 0.1),
        (Row(name: "speed × 1.94", fault: .scale(1.94)), 5, .tooSmall, 0.1),
        (Row(name: "speed × 0.7", fault: .scale(0.7)), 1, .honest, 0.2),
        (Row(name: "speed × 0.7", fault: .scale(0.7)), 5, .honest, 0.1),
        (Row(name: "speed stays while parked", fault: .stuck), 1, .honest, 0.2),
        (Row(name: "speed noise 1 m/s", fault: .speedNoise(1)), 1, .honest, 0.5),
        (Row(name: "speed always 0", fault: .noSpeed), 1, .honest, 1.5),
        (Row(name: "noise 5 m", fault: .noise(5)), 1, .honest, 0.1),
        (Row(name: "noise 5 m", fault: .noise(5)), 5, .tooSmall, 0.9),
        (Row(name: "cold start", fault: .coldStart), 10, .constant, 0.3),
        (Row(name: "4 decimals", fault: .rounded(0.0001)), 1, .constant, 0.4),
        (Row(name: "two receivers", fault: .interleaved), 1, .constant, 0.3),
        (Row(name: "street canyon, 60 m", fault: .canyon), 1, .honest, 0.3),
        (Row(name: "street canyon, 60 m", fault: .canyon), 5, .honest, 0.8),
    ]

    /// The first moment that counts, and the interval of the published locations, seconds.
    private static let (firstSeconds, everySeconds) = (180.0, 10.0)
    /// The time after a drive from which distance is a false one, seconds.
    private static let restSeconds = 120

    /// The days by the time between two drives, seconds.
    private let days: [Int: [DrivenDay]]
    private let seed: UInt64

    /// - Parameters:
    ///   - count: The number of days of each row.
    ///   - seed: The seed before the first one.
    init(days count: UInt64, after seed: UInt64 = 0) {
        self.seed = seed
        let stands = Set(Self.rows.map(\.standSeconds))
        days = Dictionary(
            uniqueKeysWithValues: stands.map { stand in
                (stand, (1...count).map { DrivenDay(seed: seed + $0, standSeconds: stand) })
            })
    }

    /// - Parameter name: of the only row to report; nil for all.
    func report(only name: String? = nil) {
        row("a faulty receiver", "inside; ±, p95 |error|, mean", naive: "parked gain (m), most", bar: "95 %, 2 ×, 20 m")
        for fault in Self.rows where name.map({ $0 == fault.name }) ?? true { report(fault) }
    }

    private func report(_ fault: Row) {
        for seconds in [1, 5, 10] {
            for accuracy in FaultyReceiver.Accuracy.allCases {
                let result = result(fault, everySeconds: seconds, accuracy)
                row(
                    "\(fault.name), \(seconds) s, eph \(accuracy.rawValue)",
                    "\(text(100 * result.insideShare, 1)) %; ±\(text(result.medianBound, 0)), "
                        + "\(text(result.error95, 0)), \(text(100 * result.meanError)) %"
                        + (result.isMet ? "" : " *"),
                    naive: "\(text(result.gains.median, 1)), \(text(result.gains.max() ?? 0, 0))",
                    bar: "\(text(result.widestBound, 0))")
            }
        }
    }

    /// The results of the odometer on some days.
    struct Result {
        /// The number of moments with the truth inside the bound, and of all.
        var (inside, count) = (0, 0)
        /// The bound and the error at the end of each day, metres.
        var bounds: [Double] = []
        var errors: [Double] = []
        /// The true distances, metres.
        var truths: [Double] = []
        /// The distance counted in the parked time of each day, metres.
        var gains: [Double] = []

        var insideShare: Double { Double(inside) / Double(max(count, 1)) }
        var medianBound: Double { bounds.median }
        var error95: Double { errors.map(abs).quantile(0.95) }
        var meanError: Double { zip(errors, truths).map { $0.0 / max($0.1, 1) }.mean }
        /// The widest bound that the errors make necessary, metres.
        var widestBound: Double { max(2 * error95, 30) }
        var isMet: Bool { insideShare >= 0.95 && medianBound <= widestBound && gains.median <= 20 }
    }

    func result(_ row: Row, everySeconds seconds: Int, _ accuracy: FaultyReceiver.Accuracy) -> Result {
        var result = Result()
        let receiver = FaultyReceiver(fault: row.fault, accuracy: accuracy)
        for (index, day) in (days[row.standSeconds] ?? []).enumerated() {
            watch(receiver.reports(of: day, everySeconds: seconds, seed: seed + UInt64(index + 1)), into: &result)
        }
        return result
    }

    private func watch(_ reports: [FaultyReceiver.Report], into result: inout Result) {
        var tracker = Tracker()
        var due = Self.firstSeconds
        var (gain, parkedSeconds, before) = (0.0, 0.0, 0.0)
        guard let first = reports.first else { return }
        var last = first.fix.received
        for report in reports {
            _ = tracker.handle(.fix(report.fix))
            let (meters, error) = (tracker.odometerMeters, tracker.odometerErrorMeters)
            parkedSeconds = report.truth.drive == nil ? parkedSeconds + report.fix.received.seconds(since: last) : 0
            if parkedSeconds > Double(Self.restSeconds) { gain += meters - before }
            (before, last) = (meters, report.fix.received)
            guard report.fix.received.seconds(since: first.fix.received) >= due else { continue }
            due += Self.everySeconds
            result.count += 1
            if abs(meters - report.truth.meters) <= error { result.inside += 1 }
        }
        let truth = reports.last?.truth.meters ?? 0
        result.bounds.append(tracker.odometerErrorMeters)
        result.errors.append(tracker.odometerMeters - truth)
        result.truths.append(truth)
        result.gains.append(gain)
    }
}
