import OdographCivilTime
import Logging
import OdographSettings

/// Formats a log message as one line.
public enum LogLine {
    /// The destination of the lines.
    public enum Style: Hashable, Sendable {
        /// A file or a terminal. Every line begins with its time and level.
        case plain
        /// The systemd journal, which adds times and reads the level from a prefix such as `<6>`, see sd-daemon(3).
        case systemdJournal
    }

    /// Returns a line without its newline.
    /// - Parameters:
    ///   - level: the severity.
    ///   - message: the message.
    ///   - metadata: values that follow as `key=value`, ordered by key.
    ///   - time: the time of the message; not used for the journal.
    ///   - style: the destination.
    public static func text(
        level: Logger.Level, message: String, metadata: Logger.Metadata, time: Timestamp, style: Style
    ) -> String {
        var line =
            switch style {
            case .plain: "\(time.iso8601) \(level.rawValue.padded(to: 8)) "
            case .systemdJournal: "<\(priority(level))>"
            }
        line += oneLine(message)
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            line += " \(key)=\(quoted("\(value)"))"
        }
        return line
    }

    /// Returns the priority of a level, see syslog(3).
    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    private static func quoted(_ value: String) -> String {
        let line = oneLine(value)
        let isBare = !line.isEmpty && !line.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        return isBare
            ? line : "\"" + line.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "'") + "\""
    }

    /// Removes line breaks and control characters: external text must not begin a line or move the terminal's cursor.
    private static func oneLine(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\t" }
            .joined(separator: " ").printable
    }
}
