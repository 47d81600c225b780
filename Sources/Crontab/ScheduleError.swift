/// One of the five fields of a crontab expression.
public enum ScheduleField: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The first field.
    case minute = 1
    /// The second field.
    case hour
    /// The third field.
    case dayOfMonth
    /// The fourth field.
    case month
    /// The fifth field.
    case dayOfWeek

    /// The name in messages, for example `day of month`.
    public var description: String {
        switch self {
        case .minute: "minute"
        case .hour: "hour"
        case .dayOfMonth: "day of month"
        case .month: "month"
        case .dayOfWeek: "day of week"
        }
    }

    /// The valid numbers. 0 and 7 are both Sunday.
    var range: ClosedRange<Int> {
        switch self {
        case .minute: 0...59
        case .hour: 0...23
        case .dayOfMonth: 1...31
        case .month: 1...12
        case .dayOfWeek: 0...7
        }
    }
}

/// A reason why a text is not a valid schedule.
public struct ScheduleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The wrong field; nil if the expression as a whole is wrong.
    public let field: ScheduleField?
    /// The wrong expression; empty if the number of expressions is wrong.
    public internal(set) var expression = ""
    /// The wrong part of the expression.
    public let text: String
    /// The problem and the remedy.
    public let reason: String

    init(_ field: ScheduleField?, _ text: String, _ reason: String) {
        self.field = field
        self.text = text
        self.reason = reason
    }

    /// The field's name and the reason, as one line.
    public var description: String { field.map { "\($0): \(reason)" } ?? reason }

    /// Returns input in quotes, limited to 40 characters, with control characters escaped.
    static func quoted(_ text: some StringProtocol) -> String {
        var result = "\""
        for scalar in text.unicodeScalars.prefix(40) {
            let isPrintable =
                scalar.value >= 0x20 && scalar.value != 0x7f && !scalar.properties.isDefaultIgnorableCodePoint
            result += isPrintable ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
        return result + (text.unicodeScalars.count > 40 ? "…\"" : "\"")
    }
}
