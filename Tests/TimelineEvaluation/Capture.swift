import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographModel
import OdographPositioning
import OdographTracking

/// The fixes of a file of the corpora.
struct Capture {
    let fixes: [Fix]

    init(fixes: [Fix]) {
        self.fixes = fixes
    }

    /// Reads the positions of a file of gpsd JSON, as the agent does.
    init(path: String) throws {
        let reader = try CaptureReader(ReplaySettings(path: path))
        var fixes: [Fix] = []
        while let event = try reader.next() {
            if case .fix(let fix) = event.content { fixes.append(fix) }
        }
        self.fixes = fixes
    }

    /// The sum of the straight lines from fix to fix, metres.
    var lineMeters: Double {
        zip(fixes, fixes.dropFirst()).reduce(0) { $0 + $1.0.coordinate.distanceMeters(to: $1.1.coordinate) }
    }

    /// Returns every fix that is at least an interval after the previously selected one.
    /// - Parameter offset: The first selected fix is at least this long after the first of all, seconds.
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

/// Returns the rows of a table of comma-separated values, by the names in its header.
func table(ofFile path: String) throws -> [[String: String]] {
    let rows = try lines(ofFile: path).map {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    guard let header = rows.first else { return [] }
    return rows.dropFirst().map { row in
        Dictionary(zip(header, row), uniquingKeysWith: { first, _ in first })
    }
}
