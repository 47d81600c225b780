import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import OdographTracking

/// The events of drives that were moved or mirrored. Times and distances are the same, so the events must be the same:
/// any difference comes from a comparison that depends on a sign, an order or the last digit of a coordinate.
struct Copies {
    struct Copy: Sendable {
        let name: String
        /// The largest shift of a boundary, seconds.
        let bar: Double
        fileprivate var delaySeconds = 0.0
        fileprivate var change: @Sendable ([Fix]) -> [Fix] = { $0 }
    }

    private static let days = 1000.25

    static let all = [
        // A mirrored coordinate has the same digits, so each result is the same to the last one.
        Copy(name: "mirrored in latitude", bar: 0) { $0.mirroredInLatitude },
        Copy(name: "mirrored in longitude", bar: 0) { $0.mirroredInLongitude },
        Copy(name: "moved by 37.7° of longitude", bar: 1) { $0.moved(longitude: { $0 + 37.7 }) },
        Copy(name: "moved to the antimeridian", bar: 1) { fixes in
            let middle = fixes.map(\.coordinate.longitudeDegrees).median
            return fixes.moved(longitude: { $0 - middle + 180 })
        },
        Copy(name: "dated \(days) days later", bar: 1, delaySeconds: days * 86_400),
    ]

    private let originals: [(drive: AllDrives.Drive, events: [TimelineEvent])]
    private let isVerbose: Bool

    init(drives: [AllDrives.Drive], isVerbose: Bool) {
        self.isVerbose = isVerbose
        originals = drives.map { ($0, Outcome($0.capture).events) }
    }

    /// The number of drives.
    var count: Int { originals.count }

    func report() {
        for copy in Self.all {
            let shifts = shifts(of: copy)
            row(
                "copies \(copy.name): with other events / largest shift (s)",
                "\(originals.count - shifts.count) of \(originals.count) / \(text(shifts.max() ?? .nan, 1))",
                bar: "0 / \(text(copy.bar, 0))")
        }
    }

    /// Returns the largest shift of a boundary of each drive whose copy has the same events, seconds.
    func shifts(of copy: Copy) -> [Double] {
        originals.compactMap { drive, events in
            let fixes = copy.change(drive.capture.fixes).delayed(bySeconds: copy.delaySeconds)
            let shift = shift(
                from: events, to: Outcome(Capture(fixes: fixes)).events, delaySeconds: copy.delaySeconds)
            if isVerbose, (shift ?? .infinity) > copy.bar {
                print("    \(copy.name): \(drive.name): \(shift.map { "\(text($0, 1)) s" } ?? "other events")")
            }
            return shift
        }
    }

    /// Returns the largest shift of a boundary, seconds. Nil where the events are others.
    private func shift(from events: [TimelineEvent], to told: [TimelineEvent], delaySeconds: Double) -> Double? {
        guard told.count == events.count, zip(told, events).allSatisfy({ $0.carrierClass == $1.carrierClass }) else {
            return nil
        }
        return zip(told, events).map { abs($0.start.seconds(since: $1.start) - delaySeconds) }.max()
    }
}
