import FoundationEssentials
import OdographCivilTime
import OdographGeodesy
import OdographModel
import OdographTracking

/// Captures in a folder, with the truth in a file `truth.json` beside them: for drives that another program made.
///
/// For each capture, by the name of its file, `truth.json` has an object: `trips` is an array of pairs of start and
/// end, and `odometer` is an array of pairs of an instant and the distance driven until then. Instants are in seconds
/// since 1970, distances in metres. The truth begins with the first fix: a receiver can report another date than the
/// true one.
struct TrueScenes {
    private struct Truth: Decodable {
        var trips: [[Double]]
        var odometer: [[Double]]
    }

    /// A line with a position.
    private struct Report: Decodable {
        var time: Timestamp
        var lat: Double
    }

    private let folder: String
    private let truths: [(name: String, truth: Truth)]
    private let isVerbose: Bool

    /// - Throws: if the folder has no truth, or it has another form.
    init(folder: String, isVerbose: Bool) throws {
        let data = try Data(contentsOf: URL(filePath: folder + "/truth.json"))
        truths = try JSONDecoder().decode([String: Truth].self, from: data)
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        self.folder = folder
        self.isVerbose = isVerbose
    }

    func report() throws {
        for (name, truth) in truths {
            let capture = try Capture(path: "\(folder)/\(name)")
            let dates = try Self.dates(
                of: capture.fixes, in: "\(folder)/\(name)", from: truth.odometer.first?.first ?? 0)
            for vehicle in [nil, TransportMode.car] {
                let outcome = Outcome(capture, aboard: vehicle)
                var faults = TimelineFaults()
                let trips = truth.trips.map { Span(start: Self.instant($0[0]), end: Self.instant($0[1])) }
                let isRight = faults.add(outcome, fixes: capture.fixes, trips: trips)
                faults.report(name, aboard: vehicle)
                let inside = insideShare(of: capture.fixes, at: dates, truth: truth.odometer, aboard: vehicle)
                let error = outcome.meters - (truth.odometer.last?[1] ?? 0)
                row(
                    "  moments inside the bound; the error at the end (m)",
                    "\(text(100 * inside, 1)) %; \(text(error, 0)) ± \(text(outcome.errorMeters, 0))", bar: "95 %")
                guard isVerbose, !isRight, let zero = capture.fixes.first?.timestamp else { continue }
                print("     ", outcome.events.map { $0.brief(since: zero) }.joined(separator: " | "))
            }
        }
    }

    /// Returns the share of the instants of the truth at which it is inside the odometer's bound, from the third minute
    /// on. Between two instants the truth is not known.
    private func insideShare(
        of fixes: [Fix], at dates: [Double], truth: [[Double]], aboard vehicle: TransportMode?
    ) -> Double {
        var configuration = TrackingConfiguration()
        configuration.timeline.vehicle = vehicle
        var tracker = Tracker(configuration: configuration)
        guard let begin = truth.first?.first else { return .nan }
        var left = truth[...]
        var (inside, count) = (0, 0)
        var (dateBefore, metersBefore) = (begin, 0.0)
        for (fix, date) in zip(fixes, dates) {
            _ = tracker.handle(.fix(fix))
            defer { (dateBefore, metersBefore) = (date, tracker.odometerMeters) }
            guard let next = left.first, date >= next[0] else { continue }
            left = left.drop { $0[0] <= date }
            // A silence of the receiver can hide the instant.
            guard date - dateBefore < 15, date >= begin + 180 else { continue }
            count += 1
            // The instant is between two fixes.
            let share = date > dateBefore ? (next[0] - dateBefore) / (date - dateBefore) : 1
            let meters = metersBefore + share * (tracker.odometerMeters - metersBefore)
            if abs(meters - next[1]) <= tracker.odometerErrorMeters {
                inside += 1
            } else if isVerbose {
                let off = "\(text(meters - next[1], 0)) ± \(text(tracker.odometerErrorMeters, 0)) m"
                print("      \(text(next[0] - begin, 0)) s: \(off)")
            }
        }
        return Double(inside) / Double(max(count, 1))
    }

    /// Returns the true dates of the fixes of a file of gpsd JSON, in seconds since 1970: those of the receiver, moved
    /// so that the first one is the first of the truth. A date that steps back is that of the next second. The dates of
    /// a ``Capture`` are repaired, and a halt hides a step.
    private static func dates(of fixes: [Fix], in path: String, from begin: Double) throws -> [Double] {
        let reports = try lines(ofFile: path).compactMap { try? JSONDecoder().decode(Report.self, from: Data($0.utf8)) }
        var (date, last) = (begin, reports.first?.time)
        let dates = reports.map { report in
            let step = report.time.seconds(since: last ?? report.time)
            date += step < 0 ? 1 : step
            last = report.time
            return date
        }
        var next = 0
        return fixes.map { fix in
            // A position that shares its date with another one is no fix.
            while next < reports.count - 1, reports[next].lat != fix.coordinate.latitudeDegrees { next += 1 }
            return dates[next]
        }
    }

    private static func instant(_ seconds: Double) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: Int64((1000 * seconds).rounded()))
    }
}
