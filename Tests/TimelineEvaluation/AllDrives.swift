import OdographCivilTime
import FoundationEssentials
import OdographHarness
import OdographTracking

/// Every drive of the corpora and many simulated vehicle days, without their truth: for parts that compare a drive with
/// a copy of itself.
struct AllDrives {
    struct Drive {
        let name: String
        let capture: Capture
    }

    /// The number of fixes below which a recording contains no trip.
    private static let shortestCount = 60

    /// The recordings: phones, cars, labelled days, cases, delivery rounds, and receiver logs as gpsd reads them.
    let recorded: [Drive]
    let simulated: [Drive]

    /// - Parameters:
    ///   - folder: The folder of the corpora.
    ///   - days: The number of simulated days at each rate of fixes.
    init(folder: String, days: UInt64 = 30) throws {
        var paths = try ["drives", "drives/cases", "drives/goal"].flatMap { part in
            try Self.files(in: "\(folder)/\(part)", ending: ".gpsd.jsonl")
        }
        paths += try Self.files(in: folder + "/gpsd", ending: ".log.chk")
        recorded = Self.drives(of: paths, in: folder)
        simulated = [1.0, 10].flatMap { seconds in
            (0..<days).map { seed in
                Drive(
                    name: "simulated day \(seed + 1), a fix in \(Int(seconds)) s",
                    capture: Capture(fixes: VehicleDay(seed: seed + 1, everySeconds: seconds).fixes))
            }
        }
    }

    /// Returns the captures in a folder.
    static func captures(in folder: String) throws -> [Drive] {
        try drives(of: files(in: folder, ending: ".gpsd.jsonl"), in: folder)
    }

    private static func drives(of paths: [String], in folder: String) -> [Drive] {
        paths.compactMap { path in
            // Some receiver logs contain no position.
            guard let capture = try? Capture(path: path), capture.fixes.count >= shortestCount else { return nil }
            return Drive(name: String(path.dropFirst(folder.count + 1)), capture: capture)
        }
    }

    private static func files(in folder: String, ending: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(ending) }.sorted()
            .map { "\(folder)/\($0)" }
    }
}
