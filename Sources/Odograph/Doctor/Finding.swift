import OdographJSON

/// What one look at the machine has found.
public struct Finding: Hashable, Sendable, Codable {
    /// How it stands.
    public enum Level: String, Hashable, Sendable, Codable, CaseIterable {
        /// As it should be.
        case ok
        /// The agent runs, and something is worth a look.
        case warn
        /// The agent cannot do its work.
        case fail
    }

    /// How it stands.
    public var level: Level
    /// What was looked at: `broker`, `gpsd`, `clock`, …
    public var subject: String
    /// What was found.
    public var text: String
    /// What to do; nil where nothing is to be done.
    public var advice: String?

    init(_ level: Level, _ subject: String, _ text: String, advice: String? = nil) {
        self.level = level
        self.subject = subject
        self.text = text
        self.advice = advice
    }

    /// From a sentence of an error, "what is wrong; what to do".
    init(_ level: Level, _ subject: String, sentence: String) {
        guard let semicolon = sentence.firstIndex(of: ";") else {
            self.init(level, subject, sentence)
            return
        }
        let rest = sentence[sentence.index(after: semicolon)...].drop { $0 == " " }
        self.init(level, subject, String(sentence[..<semicolon]), advice: String(rest))
    }

    /// One line: `warn  clock          not synchronised — enable systemd-timesyncd or chrony`.
    public var line: String {
        ("\(level.rawValue.padded(to: 4))  \(subject.padded(to: 13))  \(text)" + (advice.map { " — \($0)" } ?? ""))
            .printable
    }
}

extension [Finding] {
    /// Whether something keeps the agent from its work.
    public var hasFailures: Bool { contains { $0.level == .fail } }

    /// `{"findings":[…],"status":"ok"|"warn"|"fail"}`, for a program.
    public func json() throws -> String {
        let worst = Finding.Level.allCases.last { level in contains { $0.level == level } }
        return try JSONCoder.prettyString(of: DoctorReport(status: worst ?? .ok, findings: self)) + "\n"
    }
}

/// All findings, and the worst of them.
private struct DoctorReport: Encodable {
    var status: Finding.Level
    var findings: [Finding]
}
