import Odograph
import CivilTime
import Logging

/// A log message as one line.
public enum LogLine {
    /// Where the lines go.
    public enum Style: Hashable, Sendable {
        /// A file or a terminal: every line begins with its time and level.
        case plain
        /// The journal, which has times of its own and takes the level as `<6>`, see sd-daemon(3).
        case systemdJournal
    }

    /// The line without its end.
    /// - Parameters:
    ///   - level: how bad it is.
    ///   - message: what is said.
    ///   - metadata: follows as `key=value`, in the order of the keys.
    ///   - time: when it was said; the journal does not need it.
    ///   - style: for whom the line is.
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

    /// syslog(3)'s number of a level.
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

    /// What came from outside must not begin a line of its own, nor move the terminal's cursor.
    private static func oneLine(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\t" }
            .joined(separator: " ").printable
    }
}
