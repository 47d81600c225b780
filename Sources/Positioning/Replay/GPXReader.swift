import OdographGPX
import OdographModel

/// Reads the track points of a GPX file in document order.
final class GPXReader {
    private static let chunkBytes = 16_384

    private let file: CaptureFile
    private let parser: ExpatParser
    private var head: [UInt8]
    private var chunk = [UInt8](repeating: 0, count: GPXReader.chunkBytes)
    private var points: [GPXPoint] = []
    private var nextPoint = 0
    private var isAtEnd = false
    /// The fix to return after the preceding change of state.
    private var pendingFix: Fix?
    private(set) var counters = SourceCounters()

    init(_ file: consuming CaptureFile, head: [UInt8]) throws(CaptureError) {
        guard let parser = ExpatParser() else { throw .unreadable(path: file.path, reason: "out of memory") }
        self.file = file
        self.parser = parser
        self.head = head
    }

    func next() throws(CaptureError) -> SourceEvent.Content? {
        if let fix = pendingFix {
            pendingFix = nil
            return .fix(fix)
        }
        while let point = try takePoint() {
            counters.linesRead += 1
            do throws(SkipReason) {
                return event(of: try point.fix())
            } catch {
                counters[error] += 1
            }
        }
        try checkEnd()
        return nil
    }

    private func event(of fix: Fix) -> SourceEvent.Content {
        counters.fixes += 1
        guard counters.fixes == 1 else { return .fix(fix) }
        pendingFix = fix
        return .state(.available, at: fix.received, detail: "the track begins")
    }

    private func takePoint() throws(CaptureError) -> GPXPoint? {
        while nextPoint == points.count {
            guard !isAtEnd else { return nil }
            try feed()
            points = parser.handler.takePoints()
            nextPoint = 0
        }
        defer { nextPoint += 1 }
        return points[nextPoint]
    }

    private func feed() throws(CaptureError) {
        var bytes = head[...]
        if bytes.isEmpty {
            let count = chunk.withUnsafeMutableBytes { file.read(into: $0) }
            guard count >= 0 else { throw file.lastError() }
            isAtEnd = count == 0
            bytes = chunk[..<count]
        }
        head = []
        let failure = bytes.withUnsafeBytes { parser.feed($0, isLast: isAtEnd) }
        if let failure {
            if failure.isCut, counters.fixes > 0 {
                counters.remark =
                    "the file is cut at line \(failure.line), column \(failure.column); what followed is missing"
                return
            }
            throw .malformedGPX(path: file.path, line: failure.line, column: failure.column, reason: failure.reason)
        }
    }

    private func checkEnd() throws(CaptureError) {
        guard counters.fixes == 0 else { return }
        let handler = parser.handler
        guard handler.trackPoints > 0 else {
            throw .noTrackPoints(path: file.path, routePoints: handler.routePoints, waypoints: handler.waypoints)
        }
        if counters[.noTime] == handler.trackPoints {
            throw .noTimes(path: file.path, trackPoints: handler.trackPoints)
        }
        throw .noPositions(path: file.path, linesRead: handler.trackPoints, skipped: counters.skipped)
    }
}
