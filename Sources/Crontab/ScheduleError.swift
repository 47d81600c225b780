/// One of the five fields of a crontab expression.
public enum ScheduleField: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The first.
    case minute = 1
    /// The second.
    case hour
    /// The third.
    case dayOfMonth
    /// The fourth.
    case month
    /// The fifth.
    case dayOfWeek

    /// Its name in messages, `day of month`.
    public var description: String {
        switch self {
        case .minute: "minute"
        case .hour: "hour"
        case .dayOfMonth: "day of month"
        case .month: "month"
        case .dayOfWeek: "day of week"
        }
    }

    /// The numbers that may stand in it. 0 and 7 are both Sunday.
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

/// Why a text is not a schedule.
public struct ScheduleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field at fault; nil where it is the expression as a whole.
    public let field: ScheduleField?
    /// The part of the expression that is wrong.
    public let text: String
    /// What is wrong with it, and what would be right.
    public let reason: String

    init(_ field: ScheduleField?, _ text: String, _ reason: String) {
        self.field = field
        self.text = text
        self.reason = reason
    }

    /// The field's name and the reason, as one line.
    public var description: String { field.map { "\($0): \(reason)" } ?? reason }

    /// A piece of the input in quotes, cut to a length that fits a line, its control characters escaped.
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
