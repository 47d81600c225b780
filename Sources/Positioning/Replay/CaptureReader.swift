/// Reads the events of a recorded drive, one after the other, in bounded memory: for `analyze`, for tests, and below the
/// paced ``ReplaySource``.
///
/// The moments of what it gives are the capture's own (`Moment(replayed:)`), every fix is mock, and the same file gives
/// the same events with the same ordinals each time. One thread at a time may use it.
public final class CaptureReader {
    private var content: Content
    private let resumeAfterOrdinal: Int64
    private var ordinal: Int64 = 0

    private enum Content {
        case gpsd(GPSDCaptureReader)
        case gpx(GPXReader)
    }

    /// Opens a capture and looks at its first bytes.
    /// - Throws: `CaptureError` where there is nothing that can be replayed.
    public init(_ settings: ReplaySettings) throws(CaptureError) {
        let file = try CaptureFile(path: settings.path)
        var head = [UInt8](repeating: 0, count: 4096)
        let count = head.withUnsafeMutableBytes { file.read(into: $0) }
        guard count >= 0 else { throw file.lastError() }
        head.removeLast(head.count - count)
        resumeAfterOrdinal = settings.resumeAfterOrdinal
        switch head.withUnsafeBufferPointer({ CaptureFormat(head: $0) }) {
        case .empty: throw .empty(path: settings.path)
        case .foreign(let name): throw .notACapture(path: settings.path, looksLike: name)
        case .gpsd: content = .gpsd(GPSDCaptureReader(file, head: head, settings))
        case .gpx: content = .gpx(try GPXReader(file, head: head))
        }
    }

    /// What was read and skipped so far.
    public var counters: SourceCounters {
        switch content {
        case .gpsd(let reader): reader.counters
        case .gpx(let reader): reader.counters
        }
    }

    /// The next event behind ``ReplaySettings/resumeAfterOrdinal``; nil at the end.
    /// - Throws: `CaptureError` where the file turns out to be none, to have nothing in it, or to be unreadable. What was
    ///   given before is valid.
    public func next() throws(CaptureError) -> SourceEvent? {
        while let event = try nextContent() {
            ordinal += 1
            if ordinal > resumeAfterOrdinal { return SourceEvent(event, ordinal: ordinal) }
        }
        return nil
    }

    private func nextContent() throws(CaptureError) -> SourceEvent.Content? {
        switch content {
        case .gpsd(let reader): try reader.next()
        case .gpx(let reader): try reader.next()
        }
    }
}
