import OdographCivilTime
import OdographHarness
import OdographModel

/// The trips of drives with slightly fewer fixes. The same drive with slightly less data should give the same trips.
struct Thinning {
    struct Loss: Sendable {
        let name: String
        fileprivate let seeds: UInt64
        fileprivate let change: @Sendable ([Fix], UInt64) -> [Fix]
    }

    /// The trips that stay, and how far their ends move.
    struct Result {
        var kept = 0
        var count = 0
        /// The number of trips that the copies have and the originals do not.
        var others = 0
        var shifts: [Double] = []
    }

    static let all = [
        Loss(name: "without 10 % of the fixes", seeds: 5) { $0.thinned(by: 0.1, seed: $1) },
        Loss(name: "with every second fix", seeds: 2) { $0.everySecond(isOdd: $1 == 1) },
    ]

    let drives: AllDrives
    let isVerbose: Bool

    func report() {
        let groups = [
            ("recorded", usual),
            // Each fix that is lost takes a quarter of a minute with it.
            ("recorded, saving power", others.filter(\.capture.isSaving)),
            ("delivery rounds", drives.recorded.filter(\.isRound)), ("simulated", drives.simulated),
        ]
        for (group, drives) in groups {
            for loss in Self.all { report("\(group) \(loss.name)", result(of: drives, loss)) }
        }
    }

    private var others: [AllDrives.Drive] { drives.recorded.filter { !$0.isRound } }

    /// The recordings of receivers that do not save power, except delivery rounds.
    var usual: [AllDrives.Drive] { others.filter { !$0.capture.isSaving } }

    /// Compares the trips of drives with those of the same drives after a loss.
    func result(of drives: [AllDrives.Drive], _ loss: Loss) -> Result {
        var result = Result()
        for drive in drives {
            let trips = Outcome(drive.capture).trips
            for seed in 1...loss.seeds {
                let fixes = loss.change(drive.capture.fixes, seed)
                let told = Outcome(Capture(fixes: fixes)).trips
                let matches = TripMatches(told, against: trips)
                result.count += trips.count
                result.kept += matches.found.count
                result.others += matches.falseTrips.count
                let shifts = matches.found.flatMap { truth, trip in
                    [abs(trip.start.seconds(since: truth.start)), abs(trip.end.seconds(since: truth.end))]
                }
                result.shifts += shifts
                let isChanged = matches.found.count < max(trips.count, told.count)
                guard isVerbose, isChanged || shifts.contains(where: { $0 > 30 }) else { continue }
                print("    \(loss.name), \(seed): \(drive.name)")
                for spans in [trips, told] { print("      \(written(spans, since: drive.capture.fixes[0].timestamp))") }
            }
        }
        return result
    }

    private func report(_ name: String, _ result: Result) {
        row("\(name): trips kept / others", "\(result.kept) of \(result.count) / \(result.others)", bar: "all / 0")
        row(
            "  ends moved by, median, p95, most (s)",
            "\(text(result.shifts.median, 1)), \(text(result.shifts.quantile(0.95), 1)), "
                + "\(text(result.shifts.max() ?? .nan, 1))", bar: "–, 15, 120")
    }

    private func written(_ spans: [Span], since zero: Timestamp) -> String {
        spans.map { "\(text($0.start.seconds(since: zero), 0))…\(text($0.end.seconds(since: zero), 0))" }
            .joined(separator: " ")
    }
}

extension AllDrives.Drive {
    fileprivate var isRound: Bool { name.contains("/goal/") }
}

extension Capture {
    /// Whether the receiver saves power: half of its fixes are more than 10 s apart.
    fileprivate var isSaving: Bool {
        zip(fixes, fixes.dropFirst()).map { $1.timestamp.seconds(since: $0.timestamp) }.median > 10
    }
}
