import OdographCivilTime
import FoundationEssentials
import OdographHarness
import OdographGeodesy
import OdographModel
import OdographTracking

/// The harsh manoeuvres that the tracker finds on simulated drives with known ones, and on the recorded drives.
struct DrivingStyle {
    private let folder: String
    private let isVerbose: Bool
    private static let start = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)

    init(folder: String, isVerbose: Bool) {
        (self.folder, self.isVerbose) = (folder, isVerbose)
    }

    func report() throws {
        for (name, fixTenths, wheelTenths, bar) in [
            ("wheels at 1 Hz", 10, Int?.some(10), "95 %, 1"), ("wheels at 10 Hz", 10, 1, "95 %, 1"),
            ("satellites at 10 Hz", 1, nil, "95 %, 1"), ("satellites at 1 Hz", 10, nil, "–"),
            ("satellites at 0.5 Hz", 20, nil, "–"),
        ] { simulated(name, fixTenths, wheelTenths, bar) }
        try recorded()
    }

    private func simulated(_ name: String, _ fixTenths: Int, _ wheelTenths: Int?, _ bar: String) {
        guard let start = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) else { return }
        var (found, known, wrong, meters) = (0, 0, 0, 0.0)
        for seed in 1001...1060 as ClosedRange<UInt64> {
            // Half of the drives have no harsh manoeuvre.
            let drive = ManoeuvreDrive(
                seed: seed, seconds: 1800, harshShare: seed.isMultiple(of: 2) ? 0.2 : 0, from: start)
            let events = events(drive.inputs(fixTenths: fixTenths, wheelTenths: wheelTenths, from: Self.start))
            let comparison = drive.compare(events, from: Self.start)
            found += comparison.found
            known += comparison.known
            wrong += comparison.wrong.count
            meters += drive.meters
            if isVerbose { for event in comparison.wrong { print("  \(seed): \(event)") } }
        }
        row(
            "harsh driving, \(name), \(text(meters / 1000, 0)) km: found; wrong in 1,000 km",
            "\(found) of \(known) (\(text(100 * Double(found) / Double(max(known, 1)), 1)) %); "
                + text(Double(wrong) / meters * 1e6), bar: bar)
    }

    private func recorded() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        let cases = try FileManager.default.contentsOfDirectory(atPath: folder + "cases").map { "cases/" + $0 }
        var (counts, meters): ([DrivingEvent.Kind: Int], Double) = ([:], 0)
        for name in (files + cases).sorted() where name.hasSuffix("gpsd.jsonl") {
            let capture = try Capture(path: folder + name)
            guard capture.fixes.contains(where: { $0.speedMetersPerSecond ?? 0 > 12 }) else { continue }
            let found = events(capture.fixes.map { .fix($0) })
            if isVerbose { for event in found { print("  \(name): \(event)") } }
            meters += capture.speedMeters
            for event in found { counts[event.kind, default: 0] += 1 }
        }
        row(
            "harsh driving, recorded drives, \(text(meters / 1000, 0)) km: accel., braking, cornering",
            [DrivingEvent.Kind.acceleration, .braking, .cornering].map { "\(counts[$0] ?? 0)" }
                .joined(separator: ", "), bar: "5 in 100 km")
    }

    private func events(_ inputs: [TrackerInput]) -> [DrivingEvent] {
        var configuration = TrackingConfiguration()
        configuration.driving = DrivingRule()
        var tracker = Tracker(configuration: configuration, seed: (1, 2))
        return inputs.flatMap { tracker.handle($0) }.compactMap {
            if case .record(.location(let location)) = $0 { location.driving } else { nil }
        }
    }
}
