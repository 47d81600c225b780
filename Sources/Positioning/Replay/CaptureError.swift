/// Why a capture cannot be read. Each case's text says what, where, and what would be right.
public enum CaptureError: Error, Hashable, CustomStringConvertible {
    /// There is no such file.
    case notFound(path: String)
    /// The path names a directory.
    case isDirectory(path: String)
    /// The file may not be read.
    case noPermission(path: String)
    /// Opening or reading failed in another way; `reason` is the system's word.
    case unreadable(path: String, reason: String)
    /// The file has no content.
    case empty(path: String)
    /// There is content, but not of a kind that can be replayed.
    case notACapture(path: String, looksLike: String)
    /// The reports are gpsd's, and none of them is a position.
    case noPositions(path: String, linesRead: Int)
    /// The GPX file is no well-formed XML, or does what a GPX file must not. Line and column count from 1.
    case malformedGPX(path: String, line: Int, column: Int, reason: String)
    /// The GPX file has nothing that was recorded.
    case noTrackPoints(path: String, routePoints: Int, waypoints: Int)
    /// None of the track points has a time.
    case noTimes(path: String, trackPoints: Int)

    /// A sentence for a person: the file, what is wrong with it, and what would be right.
    public var description: String {
        switch self {
        case .notFound(let path):
            "\(path): the file does not exist; give the path of a gpsd capture (gpspipe -w) or of a GPX file"
        case .isDirectory(let path):
            "\(path): is a folder; give the path of a capture in it"
        case .noPermission(let path):
            "\(path): permission denied; make it readable for the agent's user"
        case .unreadable(let path, let reason):
            "\(path): cannot be read: \(reason)"
        case .empty(let path):
            "\(path): is empty; record a capture with gpspipe -w"
        case .notACapture(let path, let looksLike):
            "\(path): is not a capture, it looks like \(looksLike); record one with gpspipe -w, or give a GPX file"
        case .noPositions(let path, let linesRead):
            "\(path): no position in its \(linesRead) lines; "
                + "record a capture while the receiver has a fix"
        case .malformedGPX(let path, let line, let column, let reason):
            "\(path):\(line):\(column): \(reason)"
        case .noTrackPoints(let path, let routePoints, let waypoints):
            "\(path): has no track point (\(routePoints) route points and \(waypoints) waypoints have no "
                + "recorded positions); give a recorded track"
        case .noTimes(let path, let trackPoints):
            "\(path): none of its \(trackPoints) track points has a <time>, so the speed is unknown; "
                + "export it again with times, or add them at an assumed speed"
        }
    }
}
