import CivilTime
import Glibc
import Logging
import Odograph
import Threads

/// Writes the log to the standard error, one line a message.
struct AgentLogHandler: LogHandler {
    /// What this logger was told, else what holds for all.
    var logLevel: Logger.Level {
        get { ownLevel ?? AgentLog.level.withLock { $0 } }
        set { ownLevel = newValue }
    }
    var metadata: Logger.Metadata = [:]
    private var ownLevel: Logger.Level?
    private let style: LogLine.Style

    private let prefix: String

    /// - Parameter isBelowProgress: whether a line of progress may have to give way.
    init(isBelowProgress: Bool) {
        prefix = isBelowProgress ? Progress.blank : ""
        style = Self.isJournal ? .journal : .plain
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = LogLine.text(
            level: event.level, message: event.message.description,
            metadata: metadata.merging(event.metadata ?? [:]) { $1 }, time: .now,
            style: style)
        // One write a line: lines of several threads do not mix.
        Console.note(prefix + line + "\n")
    }

    /// Whether the standard error is the journal: the service manager names its device and inode, see systemd.exec(5).
    private static var isJournal: Bool {
        guard let stream = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }
}
