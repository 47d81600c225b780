import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographHarness
import OdographModel

/// The distance that the estimated detour adds on an exactly straight road and on recorded and simulated drives at
/// seldom fixes.
struct StraightRoads {
    private let folder: String

    init(folder: String) { self.folder = folder }

    func report() throws {
        for speed in [30.0, 15] {
            for tellsSpeed in [true, false] {
                for seconds in [10.0, 30, 60] { report(speed, tellsSpeed, seconds) }
            }
        }
        let tracks = try recorded()
        for seconds in [10.0, 30, 60] { report("recorded", tracks, seconds) }
        guard let start = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) else { return }
        let simulated = SimulatedRoad.allCases.flatMap { road in
            (201...206 as ClosedRange<UInt64>).map {
                let drive = RoadDrive(on: road, seed: $0, seconds: 1200, from: start)
                return (Capture(fixes: drive.fixes(everySeconds: 1)), drive.trueMeters(everySeconds: 1))
            }
        }
        for seconds in [10.0, 30, 60] { report("simulated", simulated, seconds) }
    }

    private func report(_ speed: Double, _ tellsSpeed: Bool, _ seconds: Double) {
        let results = straight(speed, tellsSpeed: tellsSpeed, everySeconds: seconds)
        row(
            "straight at \(text(speed, 0)) m/s, a fix in \(text(seconds, 0)) s\(tellsSpeed ? "" : ", no speed"): mean, worst",
            "\(text(100 * results.map(\.error).mean)) %, \(text(100 * (results.map { abs($0.error) }.max() ?? 0))) %",
            naive: "\(text(100 * results.map(\.naive).mean)) %", bar: "0.1 %")
    }

    /// Returns the distances of drives of 50 min along a straight line.
    /// - Parameter speed: The vehicle's speed, m/s.
    func straight(_ speed: Double, tellsSpeed: Bool, everySeconds seconds: Double) -> [DistanceResult] {
        guard let start = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) else { return [] }
        var results: [DistanceResult] = []
        for seed in 1...12 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            var error = random.scatter(2)
            let fixes = stride(from: 0.0, through: 3000, by: seconds).map { second in
                let time = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000).advanced(bySeconds: second)
                error = random.wandered(from: error, seconds: seconds, memorySeconds: 120, deviation: 2)
                let place = start.destination(headingDegrees: 90, distanceMeters: speed * second)
                return Fix(
                    timestamp: time, received: ClockReading(replayed: time),
                    coordinate: LocalPlane(origin: place).coordinate(of: error), accuracyMeters: 5,
                    speedMetersPerSecond: tellsSpeed ? speed + 0.1 * random.normal() : nil,
                    headingDegrees: tellsSpeed && seed > 6 ? 90.4 + 0.3 * random.normal() : nil)
            }
            results.append(DistanceResult(of: Capture(fixes: fixes), truth: speed * 3000))
        }
        return results
    }

    /// Returns pieces of ten minutes of the recordings with a fix a second, as far as they are on wheels, with the
    /// odometer's distance at that rate.
    private func recorded() throws -> [(Capture, Double)] {
        var tracks: [(Capture, Double)] = []
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        let cases = try FileManager.default.contentsOfDirectory(atPath: folder + "cases").map { "cases/" + $0 }
        for name in (files + cases).sorted() where name.contains("gpsd.jsonl") {
            let whole = try Capture(path: folder + name)
            var piece: [Fix] = []
            for fix in whole.fixes {
                if let first = piece.first, let last = piece.last,
                    fix.timestamp.seconds(since: last.timestamp) > 3
                        || fix.timestamp.seconds(since: first.timestamp) > 600
                {
                    close(piece, into: &tracks)
                    piece = []
                }
                piece.append(fix)
            }
            close(piece, into: &tracks)
        }
        return tracks
    }

    private func close(_ piece: [Fix], into tracks: inout [(Capture, Double)]) {
        let capture = Capture(fixes: piece)
        guard let first = piece.first, let last = piece.last else { return }
        let seconds = last.timestamp.seconds(since: first.timestamp)
        let speeds = piece.compactMap(\.speedMetersPerSecond)
        // On wheels, and no receiver that repeats its positions for many seconds.
        let repeats = zip(piece, piece.dropFirst()).count { $0.0.coordinate == $0.1.coordinate }
        guard seconds > 300, speeds.count * 10 > piece.count * 9, speeds.mean > 3, repeats * 3 < piece.count
        else { return }
        tracks.append((capture, Outcome(capture).meters))
    }

    private func report(_ name: String, _ tracks: [(Capture, Double)], _ seconds: Double) {
        let results = tracks.map { track, truth -> DistanceResult in
            let sparse = track.every(seconds)
            // The truth is for the whole track: scale it to what the sparse fixes cover.
            guard let first = sparse.fixes.first, let last = sparse.fixes.last else {
                return DistanceResult(of: track, truth: truth)
            }
            let covered = track.between(first.timestamp, last.timestamp)
            return DistanceResult(of: sparse, truth: truth * covered.lineMeters / track.lineMeters)
        }
        let worse = results.count { abs($0.error) > abs($0.naive) }
        row(
            "\(name) tracks, a fix in \(text(seconds, 0)) s: median bias, |error|",
            "\(text(100 * results.map(\.error).median)) %, \(text(100 * results.map { abs($0.error) }.median)) %",
            naive:
                "\(text(100 * results.map(\.naive).median)) %, \(text(100 * results.map { abs($0.naive) }.median)) %",
            bar: "±0.2 %")
        row(
            "  worse than naive; inside",
            "\(worse); \(results.count { abs($0.error) <= $0.bound }) of \(results.count)", bar: "3 of 59")
    }
}
