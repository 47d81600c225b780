import OdographModel
import OdographTracking

/// The faults that need no truth, of the timelines of all recordings: with a receiver that is carried, and with one
/// that is mounted in a car.
struct RecordedTimelines {
    private let drives: [AllDrives.Drive]
    private let isVerbose: Bool

    /// - Parameters:
    ///   - folder: The folder of the corpora.
    ///   - captures: A folder with captures that are measured instead. Nil for none.
    init(folder: String, captures: String? = nil, isVerbose: Bool = false) throws {
        self.isVerbose = isVerbose
        drives =
            try captures.map { try AllDrives.captures(in: $0) } ?? AllDrives(folder: folder, days: 0).recorded
    }

    /// The faults, and how much longer than the odometer's distance the events of each recording are together.
    struct Result {
        fileprivate(set) var faults = TimelineFaults()
        /// In metres, below 0 where the events are shorter.
        fileprivate(set) var excess: [Double] = []
    }

    func report() {
        for vehicle in [nil, TransportMode.car] {
            let result = result(aboard: vehicle)
            row(
                "\(drives.count) captures\(vehicle == nil ? "" : ", mounted"): \(TimelineFaults.names)",
                result.faults.text, bar: "0")
            row(
                "  events together less the odometer, least / most (m)",
                "\(text(result.excess.min() ?? .nan, 1)) / \(text(result.excess.max() ?? .nan, 1))", bar: "the bound")
        }
    }

    /// Measures all recordings.
    /// - Parameter vehicle: The vehicle in which the receiver is mounted. Nil for a portable one.
    func result(aboard vehicle: TransportMode? = nil) -> Result {
        var result = Result()
        for drive in drives {
            let outcome = Outcome(drive.capture, aboard: vehicle)
            let before = result.faults.total
            result.faults.addEvents(of: outcome, fixes: drive.capture.fixes)
            let excess = TimelineFaults.sumMeters(of: outcome) - outcome.meters
            result.excess.append(excess)
            guard isVerbose, result.faults.total > before, let zero = drive.capture.fixes.first?.timestamp else {
                continue
            }
            print(
                "    \(drive.name): \(text(excess, 1)) m, the odometer \(text(outcome.meters, 1)) ± "
                    + "\(text(outcome.errorMeters, 1)) m")
            print("     ", outcome.events.map { $0.brief(since: zero) }.joined(separator: " | "))
        }
        return result
    }
}
