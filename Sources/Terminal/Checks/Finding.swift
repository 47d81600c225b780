import OdographJSON
import OdographSettings

/// The result of one check.
public struct Finding: Hashable, Sendable, Codable {
    /// The severity of a finding.
    public enum Level: String, Hashable, Sendable, Codable, CaseIterable {
        /// There is no problem.
        case ok
        /// The program works, but something needs attention.
        case warn
        /// The program cannot work.
        case fail
    }

    /// The severity.
    public var level: Level
    /// The subject of the check: `broker`, `gpsd`, `clock`, …
    public var subject: String
    /// The result of the check.
    public var text: String
    /// The recommended action; nil if there is none.
    public var advice: String?

    /// - Parameters: As the properties of the same names.
    package init(_ level: Level, _ subject: String, _ text: String, advice: String? = nil) {
        self.level = level
        self.subject = subject
        self.text = text
        self.advice = advice
    }

    /// Creates a finding from the sentence of an error, "problem; correction".
    package init(_ level: Level, _ subject: String, sentence: String) {
        guard let semicolon = sentence.firstIndex(of: ";") else {
            self.init(level, subject, sentence)
            return
        }
        let rest = sentence[sentence.index(after: semicolon)...].drop { $0 == " " }
        self.init(level, subject, String(sentence[..<semicolon]), advice: String(rest))
    }

    /// One line, such as `warn  clock          not synchronised — enable systemd-timesyncd or chrony`.
    public var line: String {
        ("\(level.rawValue.padded(to: 4))  \(subject.padded(to: 13))  \(text)" + (advice.map { " — \($0)" } ?? ""))
            .printable
    }
}

extension Finding {
    /// Returns the finding as one JSON object and a newline.
    public func json() throws -> String { try JSONCoder.string(of: self) + "\n" }
}

extension [Finding] {
    /// Whether a finding prevents the program from working.
    public var hasFailures: Bool { contains { $0.level == .fail } }
}
