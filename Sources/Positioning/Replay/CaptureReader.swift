import OdographModel

/// Reads the events of a recorded drive in order and in bounded memory: for `analyze`, for tests and for
/// ``ReplaySource``.
///
/// Events have the capture's own times (`ClockReading(replayed:)`), and every fix is marked as mock. The same file
/// gives the same events with the same ordinals each time. Use it from one thread at a time.
public final class CaptureReader {
    private var content: Content
    private let resumeAfterOrdinal: Int64
    private var ordinal: Int64 = 0
    private let vehicleLog: VehicleLogReader?
    /// The next event of the capture, while earlier signals of the vehicle are returned.
    private var pendingContent: SourceEvent.Content?
    private var dates = CaptureDates()
    /// The error after the events that were read; nil for none.
    private var failure: CaptureError?

    private enum Content {
        case gpsd(GPSDCaptureReader)
        case gpx(GPXReader)

        /// Opens a file and detects its format.
        init(_ settings: ReplaySettings) throws(CaptureError) {
            let file = try CaptureFile(path: settings.path)
            var head = [UInt8](repeating: 0, count: 4096)
            let count = head.withUnsafeMutableBytes { file.read(into: $0) }
            guard count >= 0 else { throw file.lastError() }
            head.removeLast(head.count - count)
            switch head.withUnsafeBufferPointer({ CaptureFormat(head: $0) }) {
            case .empty: throw .empty(path: settings.path)
            case .foreign(let name): throw .notACapture(path: settings.path, looksLike: name)
            case .gpsd: self = .gpsd(GPSDCaptureReader(file, head: head, settings))
            case .gpx: self = .gpx(try GPXReader(file, head: head))
            }
        }

        func next() throws(CaptureError) -> SourceEvent.Content? {
            switch self {
            case .gpsd(let reader): try reader.next()
            case .gpx(let reader): try reader.next()
            }
        }

        /// Returns the first fixes, for ``CaptureDates``.
        func firstFixes() -> [Fix] {
            var fixes: [Fix] = []
            while fixes.count < CaptureDates.lookAhead, let event = try? next() {
                if case .fix(let fix) = event { fixes.append(fix) }
            }
            return fixes
        }
    }

    /// Opens a capture and detects its format.
    /// - Throws: `CaptureError` if the file cannot be replayed.
    public init(_ settings: ReplaySettings) throws(CaptureError) {
        content = try Content(settings)
        resumeAfterOrdinal = settings.resumeAfterOrdinal
        vehicleLog = try settings.vehicleLogPath.map { path throws(CaptureError) in try VehicleLogReader(path: path) }
        // The standard input, and a pipe, can be read only once.
        if CaptureFile.isRegular(path: settings.path), let scout = try? Content(settings) {
            dates = CaptureDates(first: scout.firstFixes())
        }
    }

    /// The counters since the start.
    public var counters: SourceCounters {
        switch content {
        case .gpsd(let reader): reader.counters
        case .gpx(let reader): reader.counters
        }
    }

    /// Returns the next event after ``ReplaySettings/resumeAfterOrdinal``; nil at the end.
    /// - Throws: `CaptureError` if the file cannot be read, is not a capture or contains no positions. Earlier events
    ///   stay valid.
    public func next() throws(CaptureError) -> SourceEvent? {
        while let event = try nextContent() {
            ordinal += 1
            if ordinal > resumeAfterOrdinal { return SourceEvent(event, ordinal: ordinal) }
        }
        return nil
    }

    /// Returns the next event of the capture, or signals of the vehicle that precede it.
    private func nextContent() throws(CaptureError) -> SourceEvent.Content? {
        guard let vehicleLog else { return try nextCaptureContent() }
        if pendingContent == nil { pendingContent = try nextCaptureContent() }
        guard let pending = pendingContent else { return nil }
        let time = SourceEvent(pending, ordinal: ordinal).receivedAt.systemTime
        if let signals = try vehicleLog.next(notAfter: time) { return .signals(signals) }
        pendingContent = nil
        return pending
    }

    private func nextCaptureContent() throws(CaptureError) -> SourceEvent.Content? {
        while true {
            if let event = dates.next() { return event }
            guard !dates.isComplete else { break }
            do throws(CaptureError) {
                if let event = try content.next() { dates.add(event) } else { dates.complete() }
            } catch {
                failure = error
                dates.complete()
            }
        }
        // Events before an error stay valid.
        if let failure { throw failure }
        return nil
    }
}
