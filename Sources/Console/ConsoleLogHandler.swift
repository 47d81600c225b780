import Logging
import OdographCivilTime
import OdographTerminal
import OdographThreads

/// Writes the log to the standard error, one line per message.
package struct ConsoleLogHandler: LogHandler {
    /// The level of all loggers that have none of their own. It may change while the program runs.
    package static let commonLevel = Lock(Logger.Level.info)

    /// The level of this logger if it was set, else the common level.
    package var logLevel: Logger.Level {
        get { levelOverride ?? Self.commonLevel.withLock { $0 } }
        set { levelOverride = newValue }
    }
    /// The values that each message of this logger has.
    package var metadata: Logger.Metadata = [:]
    private var levelOverride: Logger.Level?
    private let style: LogLine.Style
    private let clearsProgressLine: Bool

    /// - Parameter clearsProgressLine: whether each message first clears a progress line.
    private init(clearsProgressLine: Bool) {
        self.clearsProgressLine = clearsProgressLine
        style = Console.isErrorSystemdJournal ? .systemdJournal : .plain
    }

    /// Sends all logs to the standard error.
    /// - Parameters:
    ///   - level: The common level.
    ///   - clearsProgressLine: Whether each message first clears a progress line.
    package static func bootstrap(level: Logger.Level, clearsProgressLine: Bool = false) -> Logger {
        commonLevel.withLock { $0 = level }
        LoggingSystem.bootstrap { _ in ConsoleLogHandler(clearsProgressLine: clearsProgressLine) }
        return Logger(label: "odograph")
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
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
