import OdographCivilTime
import OdographGPX

/// The track points of a GPX file, while it is read.
struct ImportedTrack {
    private let path: String
    private let now: Timestamp
    private let parser: ExpatParser

    /// - Returns: nil if there is not enough memory.
    init?(_ path: String, now: Timestamp) {
        guard let parser = ExpatParser() else { return nil }
        (self.path, self.now, self.parser) = (path, now, parser)
    }

    /// Reads the next piece of the file.
    /// - Throws: ``ImportFailure`` if it is no GPX, or the error of `body`.
    mutating func feed(
        _ piece: some Collection<UInt8>, isLast: Bool, _ body: (Int, ImportedLine) throws -> Void
    ) throws {
        let failure = Array(piece).withUnsafeBytes { parser.feed($0, isLast: isLast) }
        for point in parser.handler.takePoints() {
            let now = now
            try body(point.line, ImportedLine { () throws(UnreadableLine) in try point.position(now: now) })
        }
        if let failure {
            throw ImportFailure(.contents, path, line: failure.line, "no GPX, or a part of one: \(failure.reason)")
        }
    }
}

extension GPXPoint {
    /// Returns the position.
    fileprivate func position(now: Timestamp) throws(UnreadableLine) -> ImportedPosition {
        guard let latitudeDegrees, let longitudeDegrees else {
            throw UnreadableLine("the track point has no lat or lon that is a number")
        }
        guard let timestamp else {
            throw UnreadableLine("the track point has \(hasTime ? "a time that is not of ISO 8601" : "no time")")
        }
        return try ImportedPosition(
            time: timestamp, latitude: latitudeDegrees, longitude: longitudeDegrees, accuracy: accuracyMeters,
            altitude: altitudeMeters, speed: speedMetersPerSecond, heading: headingDegrees,
            isMock: isMock, now: now)
    }
}
