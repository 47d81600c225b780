import OdographCivilTime
import OdographTracking

/// The found trips of some outcomes, with the errors of their ends and the delays of their publication.
struct TripBoundaries {
    private(set) var found = 0
    private(set) var count = 0
    private(set) var falseTrips = 0
    /// The errors of the starts, seconds; negative if too early.
    private(set) var starts: [Double] = []
    private(set) var ends: [Double] = []
    /// The delays from an event's beginning to its publication, seconds.
    private(set) var startDelays: [Double] = []
    private(set) var stopDelays: [Double] = []
    private(set) var takenBack = 0

    /// The absolute errors of starts and ends, seconds.
    var off: [Double] { (starts + ends).map(abs) }

    /// - Parameter trips: The true trips.
    mutating func add(_ outcome: Outcome, trips: [Span]) {
        let matches = TripMatches(outcome.trips, against: trips)
        count += trips.count
        found += matches.found.count
        falseTrips += matches.falseTrips.count
        takenBack += outcome.takenBack
        for (truth, trip) in matches.found {
            starts.append(trip.start.seconds(since: truth.start))
            ends.append(trip.end.seconds(since: truth.end))
            startDelays += outcome.delay(of: "transport", startingAt: trip.start)
            stopDelays += outcome.delay(of: "stationary", startingAt: trip.end)
        }
    }

    mutating func add(_ other: TripBoundaries) {
        found += other.found
        count += other.count
        falseTrips += other.falseTrips
        starts += other.starts
        ends += other.ends
        startDelays += other.startDelays
        stopDelays += other.stopDelays
        takenBack += other.takenBack
    }

    func report(_ name: String) {
        row("\(name): trips found / false", "\(found) of \(count) / \(falseTrips)", bar: "all / 0")
        row(
            "  start |median|, end |median|, p90, bias (s)",
            "\(text(starts.map(abs).median, 0)), \(text(ends.map(abs).median, 0)), \(text(off.quantile(0.9), 0)), "
                + "\(text((starts + ends).mean, 0))", bar: "30, 45, 100, 20")
        row(
            "  told after: start, stop, median and worst (s)",
            "\(text(startDelays.median, 0)), \(text(startDelays.max() ?? .nan, 0)); \(text(stopDelays.median, 0)), "
                + "\(text(stopDelays.max() ?? .nan, 0))", bar: "60, 150")
        row("  departures taken back", "\(takenBack)", bar: "rare")
    }
}
