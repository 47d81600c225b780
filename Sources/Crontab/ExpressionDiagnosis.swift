import OdographCivilTime

/// Explains errors of an expression as a whole.
enum ExpressionDiagnosis {
    private static let order = "minute hour day-of-month month day-of-week"
    private static let macros = ["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"]

    /// Returns the error of an expression.
    /// - Precondition: The expression was rejected before any field was parsed.
    static func error(in expression: String) -> ScheduleError {
        func fault(_ reason: String) -> ScheduleError { ScheduleError(nil, expression, reason) }
        guard expression.utf8.count <= ScheduleParser.maximumBytes else {
            return fault("\(expression.utf8.count) bytes; an expression has at most \(ScheduleParser.maximumBytes)")
        }
        if expression.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" }) {
            return fault("one line only; for several times give a list of schedules")
        }
        let fields = expression.split { $0 == " " || $0 == "\t" }
        if let strange = unsupportedSpace(in: expression) {
            return fault("fields are separated by spaces or tabs; found \(strange)")
        }
        if let first = fields.first, first.hasPrefix("@") {
            return fault(macroErrorReason(String(first), rest: fields.dropFirst().map(String.init)))
        }
        return fault(fieldCountErrorReason(fields.map(String.init)))
    }

    private static func unsupportedSpace(in expression: String) -> String? {
        for scalar in expression.unicodeScalars where scalar != " " && scalar != "\t" {
            switch scalar {
            case "\u{a0}", "\u{202f}": return "a no-break space"
            case "\u{feff}": return "a byte order mark"
            case _ where scalar.properties.isWhitespace:
                return "the space character U+\(String(scalar.value, radix: 16, uppercase: true))"
            default: continue
            }
        }
        return nil
    }

    private static func macroErrorReason(_ name: String, rest: [String]) -> String {
        let lowered = name.lowercased()
        switch lowered {
        case "@reboot", "@startup": return "\(name) is not a time, so it cannot be a schedule"
        case "@every":
            return "@every is not supported; use \"\(expression(every: rest.first ?? ""))\""
        case _ where macros.contains(lowered): return "nothing may follow \(name)"
        default:
            let hint = SpellingSuggestion.closestMatch(to: lowered, among: macros).map { "did you mean \($0)?" }
            return
                "unknown macro \(ScheduleError.quoted(name)); \(hint ?? "use one of \(macros.joined(separator: ", "))")"
        }
    }

    /// Returns the five fields for an interval such as `5m` or `2h`.
    private static func expression(every interval: String) -> String {
        let count = Int(interval.prefix { $0.isASCII && $0.isNumber }) ?? 0
        switch interval.last {
        case "m" where (1...59).contains(count): return "*/\(count) * * * *"
        case "h" where (1...23).contains(count): return "0 */\(count) * * *"
        default: return "*/5 * * * *"
        }
    }

    private static func fieldCountErrorReason(_ fields: [String]) -> String {
        let text = fields.joined(separator: " ")
        switch fields.count {
        case 0: return "empty; 5 fields needed: \(order)"
        case 4 where fields[0] != "*" && (try? Schedule("* " + text)) != nil:
            return "4 fields, 5 needed; did you leave out the minute field? \"* \(text)\""
        case 1: return "1 field, 5 needed: \(order)"
        case 2...4: return "\(fields.count) fields, 5 needed: \(order)"
        case 6: return "6 fields, 5 needed: \(order); seconds (Quartz) are not supported"
        case 7: return "7 fields, 5 needed: \(order); seconds and year (Quartz) are not supported"
        default: return "\(fields.count) fields, 5 needed: \(order)"
        }
    }

    /// Returns an error that names the days that never occur.
    static func neverMatchesError(
        _ days: DayMask, _ fields: ScheduleParser.Fields, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> ScheduleError {
        let text = String(decoding: bytes[fields[.dayOfMonth]], as: UTF8.self)
        let first = days.daysOfMonth.trailingZeroBitCount + 1
        let months = (1...12).filter { days.months >> UInt16($0 - 1) & 1 == 1 }
        let longest = months.map { CivilDate.daysIn(month: $0, ofYear: 1972) }.max() ?? 31
        guard days.daysOfMonth != 0, first > longest else {
            return ScheduleError(.dayOfMonth, text, "never matches: these days of month never fall on these weekdays")
        }
        let who = months.count == 1 ? "\(FieldNames.longMonths[months[0] - 1]) has no" : "none of these months has a"
        return ScheduleError(.dayOfMonth, text, "never matches: \(who) day \(first)")
    }
}
