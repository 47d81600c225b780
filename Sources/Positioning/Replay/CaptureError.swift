/// A reason why a capture cannot be read. The description names the problem, the place and the remedy.
public enum CaptureError: Error, Hashable, CustomStringConvertible {
    /// There is no such file.
    case notFound(path: String)
    /// There is no such log of the vehicle's bus.
    case vehicleLogNotFound(path: String)
    /// The path names a directory.
    case isDirectory(path: String)
    /// There is no permission to read the file.
    case noPermission(path: String)
    /// Opening or reading failed in another way; `reason` is the system's message.
    case unreadable(path: String, reason: String)
    /// The file has no content.
    case empty(path: String)
    /// The content has a format that cannot be replayed.
    case notACapture(path: String, looksLike: String)
    /// The file is not a log of the vehicle's bus.
    case notAVehicleLog(path: String)
    /// The file contains reports, but no position that can be used; `skipped` has the reasons with their counts.
    case noPositions(path: String, linesRead: Int, skipped: [SkipReason: Int])
    /// The GPX file is not well-formed XML, or violates a limit. Line and column count from 1.
    case malformedGPX(path: String, line: Int, column: Int, reason: String)
    /// The GPX file contains no recorded track.
    case noTrackPoints(path: String, routePoints: Int, waypoints: Int)
    /// No track point has a time.
    case noTimes(path: String, trackPoints: Int)

    /// The problem and the remedy in one sentence, with the path.
    public var description: String {
        switch self {
        case .notFound(let path):
            "\(path.fileName): the file does not exist; give the path of a gpsd capture (gpspipe -w) or of a GPX file"
        case .vehicleLogNotFound(let path):
            "\(path.fileName): the file does not exist; give the path of a log of a CAN bus (candump -l)"
        case .isDirectory(let path):
            "\(path.fileName): is a folder; give the path of a capture in it"
        case .noPermission(let path):
            "\(path.fileName): permission denied; make it readable for the agent's user"
        case .unreadable(let path, let reason):
            "\(path.fileName): cannot be read: \(reason)"
        case .empty(let path):
            "\(path.fileName): is empty; record a capture with gpspipe -w"
        case .notACapture(let path, let looksLike):
            "\(path.fileName): is not a capture, it looks like \(looksLike); record one with gpspipe -w, or give a GPX file"
        case .notAVehicleLog(let path):
            "\(path.fileName): is not a log of a CAN bus; record one with candump -l"
        case .noPositions(let path, let linesRead, let skipped):
            Self.noPositionsText(path: path, linesRead: linesRead, skipped: skipped)
        case .malformedGPX(let path, let line, let column, let reason):
            "\(path.fileName):\(line):\(column): \(reason)"
        case .noTrackPoints(let path, let routePoints, let waypoints):
            "\(path.fileName): has no track point (\(routePoints) route points and \(waypoints) waypoints have no "
                + "recorded positions); give a recorded track"
        case .noTimes(let path, let trackPoints):
            "\(path.fileName): none of its \(trackPoints) track points has a <time>, so the speed is unknown; "
                + "export it again with times, or add them at an assumed speed"
        }
    }

    /// Returns the most frequent reason why no position can be used, and its remedy.
    private static func noPositionsText(path: String, linesRead: Int, skipped: [SkipReason: Int]) -> String {
        let causes = skipped.filter { $0.key.wastesPosition }
        guard let (reason, count) = causes.max(by: { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }) else {
            return
                "\(path.fileName): no position in its \(linesRead) lines; record a capture while the receiver has a fix"
        }
        let (fault, remedy) =
            switch reason {
            case .noTime: ("have no \"time\"", "record a capture while the receiver knows the date")
            case .badTime: ("have a time in another form", "write it in UTC, such as 2026-11-21T09:15:02.000Z")
            case .badCoordinate: ("have an impossible \"lat\" or \"lon\"", "check the receiver")
            case .otherDevice: ("are of another receiver", "select that receiver")
            case .malformedLine, .overlongLine, .notAReport, .noFix, .noPosition, .sameCycle:
                ("have no \"lat\" or \"lon\"", "record a capture while the receiver has a fix")
            }
        return
            "\(path.fileName): none of its positions can be used: \(count) of its \(linesRead) lines \(fault); \(remedy)"
    }
}

extension SkipReason {
    /// Whether a report with a position, or one that should have one, was skipped.
    fileprivate var wastesPosition: Bool {
        switch self {
        case .noPosition, .noTime, .badTime, .badCoordinate, .otherDevice: true
        case .malformedLine, .overlongLine, .notAReport, .noFix, .sameCycle: false
        }
    }
}

extension String {
    /// The name in messages of the file with this path.
    fileprivate var fileName: String { StandardInput.name(of: self) }
}
