import OdographCivilTime
import Logging
import Odograph
import OdographOperator
import OdographThreads

/// Writes the log to the standard error, one line per message.
struct AgentLogHandler: LogHandler {
    /// The level of this logger if it was set, else the common level.
    var logLevel: Logger.Level {
        get { levelOverride ?? AgentRunner.logLevel.withLock { $0 } }
        set { levelOverride = newValue }
    }
    var metadata: Logger.Metadata = [:]
    private var levelOverride: Logger.Level?
    private let style: LogLine.Style

    private let clearsProgressLine: Bool

    /// - Parameter clearsProgressLine: whether each message first clears a progress line.
    init(clearsProgressLine: Bool) {
        self.clearsProgressLine = clearsProgressLine
        style = Console.isErrorSystemdJournal ? .systemdJournal : .plain
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
        var text = TerminalText()
        if clearsProgressLine { text.append(.clearLine) }
        text.append(line + "\n")
        Console.printMessage(text)
    }
}
