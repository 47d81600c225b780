import CivilTime
import FoundationEssentials
import Geodesy
import Tracking

/// The files of the corpora, read.
struct Capture {
    let fixes: [Fix]

    private struct Report: Decodable {
        let `class`: String
        let mode: Int?
        let time: String?
        let lat: Double?
        let lon: Double?
        let eph: Double?
        let speed: Double?
        let track: Double?
        let eps: Double?
    }

    init(fixes: [Fix]) {
        self.fixes = fixes
    }

    /// The positions of a file of gpsd JSON.
    init(path: String) throws {
        let decoder = JSONDecoder()
        fixes = try lines(ofFile: path).compactMap { line in
            guard let report = try? decoder.decode(Report.self, from: Data(line.utf8)), report.class == "TPV",
                (report.mode ?? 0) >= 2, let time = report.time, let timestamp = Timestamp(iso8601: time),
                let latitude = report.lat, let longitude = report.lon,
                let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
            else { return nil }
            return Fix(
                timestamp: timestamp, received: Moment(replayed: timestamp), coordinate: coordinate,
                accuracyMeters: report.eph, speedMetersPerSecond: report.speed,
                speedAccuracyMetersPerSecond: report.eps, headingDegrees: report.track, isMock: true)
        }
    }

    /// The sum of the straight lines from fix to fix, metres.
    var lineMeters: Double {
        zip(fixes, fixes.dropFirst()).reduce(0) { $0 + $1.0.coordinate.distanceMeters(to: $1.1.coordinate) }
    }

    /// Every fix that comes at least an interval after the last one taken.
    /// - Parameter offset: the first one is the first that comes so many seconds after the first of all.
    func every(_ seconds: Double, after offset: Double = 0) -> Capture {
        guard let first = fixes.first else { return self }
        var taken: [Fix] = []
        var next = first.timestamp.advanced(bySeconds: offset)
        for fix in fixes where fix.timestamp.seconds(since: next) >= -0.5 {
            taken.append(fix)
            next = fix.timestamp.advanced(bySeconds: seconds)
        }
        return Capture(fixes: taken)
    }

    /// The integral of the speeds, metres.
    var speedMeters: Double {
        zip(fixes, fixes.dropFirst()).reduce(0) { sum, pair in
            let speeds = [pair.0, pair.1].compactMap(\.speedMetersPerSecond)
            return sum + (speeds.isEmpty ? 0 : speeds.mean) * pair.1.timestamp.seconds(since: pair.0.timestamp)
        }
    }

    func between(_ start: Timestamp, _ end: Timestamp) -> Capture {
        Capture(fixes: fixes.filter { $0.timestamp >= start && $0.timestamp <= end })
    }
}

func lines(ofFile path: String) throws -> [String] {
    let data = try Data(contentsOf: URL(filePath: path))
    return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
}

/// The rows of a table of comma separated values, each by the names in its header.
func table(ofFile path: String) throws -> [[String: String]] {
    let rows = try lines(ofFile: path).map {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    guard let header = rows.first else { return [] }
    return rows.dropFirst().map { row in
        Dictionary(zip(header, row), uniquingKeysWith: { first, _ in first })
    }
}
