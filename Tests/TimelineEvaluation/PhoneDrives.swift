import FoundationEssentials
import OdographCivilTime
import OdographGeodesy
import OdographModel
import OdographTracking

/// Phones on a car trip and a bicycle trip, with button presses as the truth.
struct PhoneDrives {
    private struct Section {
        let carrier: String
        let span: Span
    }

    private let outcomes: [Outcome]
    private let captures: [Capture]
    private let trips: [Span]
    private let sections: [Section]
    private let isVerbose: Bool

    init(folder: String, isVerbose: Bool) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("unimodal") }
        captures = try names.sorted().map { try Capture(path: folder + $0) }
        outcomes = captures.map { Outcome($0) }
        let rows = try table(ofFile: folder + "truth/car_bike_sections.csv")
        trips = rows.filter { $0["kind"] == "trip" }.compactMap(Self.span)
        sections = rows.filter { $0["kind"] == "section" }.compactMap { row in
            Self.span(row).map { Section(carrier: row["mode"] ?? "", span: $0) }
        }
        self.isVerbose = isVerbose
    }

    private init(_ other: PhoneDrives, captures: [Capture], judgedBy figures: ModelParameters) {
        self.captures = captures
        outcomes = captures.map { Outcome($0, figures: figures) }
        trips = other.trips
        sections = other.sections
        isVerbose = other.isVerbose
    }

    /// Returns the same drives with other model parameters.
    func judged(by figures: ModelParameters) -> PhoneDrives { PhoneDrives(self, captures: captures, judgedBy: figures) }

    /// Each recording alone, with its name.
    var single: [(name: String, drive: PhoneDrives)] {
        captures.enumerated().map {
            ("\($0.offset + 1)", PhoneDrives(self, captures: [$0.element], judgedBy: ModelParameters()))
        }
    }

    /// Returns the same drives with other receivers.
    func changed(by change: (Capture) -> Capture) -> PhoneDrives {
        PhoneDrives(self, captures: captures.map(change), judgedBy: ModelParameters())
    }

    var boundaries: TripBoundaries {
        outcomes.reduce(into: TripBoundaries()) { $0.add($1, trips: trips) }
    }

    /// Prints each published or true trip: the errors of its ends, and the delays of their publication.
    func printTrips() {
        for outcome in outcomes {
            let matches = TripMatches(outcome.trips, against: trips)
            for trip in matches.missed { print("    missed: \(trip.start) … \(trip.end)") }
            for (truth, trip) in matches.found {
                let told = [("transport", trip.start), ("stationary", trip.end)].map { kind, time in
                    outcome.delay(of: kind, startingAt: time).map { text($0, 0) }.joined()
                }
                print(
                    "    start \(text(trip.start.seconds(since: truth.start), 0)) s, told after \(told[0]) s; end",
                    "\(text(trip.end.seconds(since: truth.end), 0)) s, told after \(told[1]) s")
            }
            for trip in matches.falseTrips { print("    false: \(trip.start) … \(trip.end)") }
        }
    }

    func report() {
        if isVerbose { for outcome in outcomes { outcome.printEvents(since: trips[0].start) } }
        boundaries.report("phone drives")
        reportModes()
        let calibration = calibrations.reduce(into: Calibration()) { $0.add($1) }
        calibration.report("phone drives")
    }

    /// The calibration around each trip, up to the middle of the stop after it.
    var calibrations: [Calibration] {
        let ends = zip(trips, trips.dropFirst()).map { $0.end.advanced(bySeconds: $1.start.seconds(since: $0.end) / 2) }
        var calibrations = Array(repeating: Calibration(), count: trips.count)
        for (capture, outcome) in zip(captures, outcomes) {
            for (fix, activity) in zip(capture.fixes, outcome.activities) {
                let trip = ends.count { $0 <= fix.timestamp }
                calibrations[trip].add(activity, isRight: activity.carrierClass == truthClass(at: fix.timestamp))
            }
        }
        return calibrations
    }

    /// The share of the time with the right mode, in total and by class.
    var modeScore: (right: Double, byClass: [(name: String, right: Double)]) {
        var perClass: [String: (right: Double, total: Double)] = [:]
        for (outcome, capture) in zip(outcomes, captures) {
            guard let first = capture.fixes.first?.timestamp, let last = capture.fixes.last?.timestamp else { continue }
            for second in stride(from: 0, to: last.seconds(since: first), by: 1) {
                let time = first.advanced(bySeconds: second)
                let truth = truthClass(at: time)
                perClass[truth, default: (0, 0)].total += 1
                if outcome.event(at: time)?.carrierClass == truth { perClass[truth, default: (0, 0)].right += 1 }
            }
        }
        let right = perClass.values.reduce(0) { $0 + $1.right } / perClass.values.reduce(0) { $0 + $1.total }
        return (right, perClass.sorted { $0.key < $1.key }.map { ($0.key, $0.value.right / $0.value.total) })
    }

    private func reportModes() {
        let score = modeScore
        row("  vehicle / bicycle / foot / still, of the time", text(score.right, 3), bar: "0.95")
        row("    by class", score.byClass.map { "\($0.name) \(text($0.right))" }.joined(separator: " "), bar: "")
    }

    private func truthClass(at time: Timestamp) -> String {
        let section = sections.first { $0.span.start <= time && time < $0.span.end }
        return switch section?.carrier {
        case "CAR": "vehicle"
        case "BICYCLING": "bicycle"
        case "WALKING": "foot"
        default: "still"
        }
    }

    private static func span(_ row: [String: String]) -> Span? {
        guard let start = row["start_ts"].flatMap(Double.init), let end = row["end_ts"].flatMap(Double.init) else {
            return nil
        }
        let epoch = Timestamp(millisecondsSinceEpoch: 0)
        return Span(start: epoch.advanced(bySeconds: start), end: epoch.advanced(bySeconds: end))
    }
}

extension Outcome {
    /// Returns the time from the beginning of an event to its publication.
    func delay(of kind: String, startingAt start: Timestamp) -> [Double] {
        guard let event = events.first(where: { $0.kind.name == kind && $0.start == start }),
            let time = announced.first(where: { $0.event.id == event.id && $0.event.kind.name == kind })?.time
        else { return [] }
        return [time.seconds(since: start)]
    }

    func printEvents(since zero: Timestamp) {
        for event in events {
            var what = event.kind.name
            if case .transport(let transport) = event.kind {
                what += " \(transport.mode.rawValue) \(text(transport.distanceMeters, 0)) m"
            }
            let end = event.end ?? event.lastUpdate
            print(
                "    \(text(event.start.seconds(since: zero), 0)) … \(text(end.seconds(since: zero), 0)) \(what)",
                "rev \(event.revision)")
        }
        print("    odometer \(text(meters, 0)) ± \(text(errorMeters, 0)) m")
    }
}

extension TimelineEvent {
    var carrierClass: String {
        switch kind {
        case .stationary: "still"
        case .offTheGrid, .unknown: "none"
        case .transport(let transport):
            switch transport.mode {
            case .walking, .running: "foot"
            case .bicycle: "bicycle"
            case .car, .bus, .train, .tram, .motorcycle: "vehicle"
            case .unknown: "none"
            }
        }
    }
}
