import Logging
import OdographThreads

/// A log that a test reads.
public struct CapturedLog: LogHandler {
    private let store = LineStore()
    /// The least level of the kept messages.
    public var logLevel: Logger.Level
    /// The metadata, which the kept messages do not have.
    public var metadata: Logger.Metadata = [:]

    /// - Parameter level: the least level of the kept messages.
    public init(_ level: Logger.Level = .info) { logLevel = level }

    /// The messages so far.
    public var lines: [String] { store.lines.withLock { $0 } }

    /// A value of the metadata.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Keeps a message.
    public func log(event: LogEvent) { store.lines.withLock { $0.append(event.message.description) } }

    private final class LineStore: Sendable {
        let lines = Lock<[String]>([])
    }
}
