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
    func every(_ seconds: Double) -> Capture {
        var taken: [Fix] = []
        for fix in fixes {
            if let last = taken.last, fix.timestamp.seconds(since: last.timestamp) < seconds - 0.5 { continue }
            taken.append(fix)
        }
        return Capture(fixes: taken)
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
