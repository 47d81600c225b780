import OdographCivilTime

/// Parses a whole expression, a macro or five fields, and rejects it if it can never match.
struct ScheduleParser {
    let expression: String

    /// The longest accepted expression, bytes. A list of all sixty minutes has 169.
    static let maximumBytes = 1024

    mutating func parse() throws(ScheduleError) -> ScheduleMask {
        var text = expression
        let outcome = text.withUTF8 { Self.parse($0) }
        switch outcome {
        case .mask(let mask): return mask
        case .fault(let fault): throw fault
        case .needsExplanation: throw ExpressionDiagnosis.error(in: expression)
        }
    }

    /// The result of parsing bytes. Errors of the whole expression are explained later, from the string.
    private enum Outcome {
        case mask(ScheduleMask)
        case fault(ScheduleError)
        case needsExplanation
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Outcome {
        guard bytes.count <= maximumBytes, let fields = Fields(bytes) else { return .needsExplanation }
        if fields.isMacro {
            guard let mask = macro(UnsafeBufferPointer(rebasing: bytes[fields[.minute]])) else {
                return .needsExplanation
            }
            return .mask(mask)
        }
        do throws(ScheduleError) {
            let mask = try mask(of: fields, bytes)
            if mask.days.neverMatches { return .fault(ExpressionDiagnosis.neverMatchesError(mask.days, fields, bytes)) }
            return .mask(mask)
        } catch {
            return .fault(error)
        }
    }

    private static func mask(
        of fields: Fields, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(ScheduleError) -> ScheduleMask {
        func read(_ field: ScheduleField) throws(ScheduleError) -> FieldBits {
            var parser = FieldParser(field: field, bytes: UnsafeBufferPointer(rebasing: bytes[fields[field]]))
            return try parser.parse()
        }
        var mask = ScheduleMask()
        mask.minutes = try read(.minute).values
        mask.hours = UInt32(truncatingIfNeeded: try read(.hour).values)
        let day = try read(.dayOfMonth)
        mask.days.daysOfMonth = UInt32(truncatingIfNeeded: day.values >> 1)
        mask.days.includesLastDay = day.hasLastDay
        mask.days.months = UInt16(truncatingIfNeeded: try read(.month).values >> 1)
        let weekday = try read(.dayOfWeek)
        mask.days.weekdays = weekday.weekdayGroups
        // As in the cron of Debian and Vixie: if either field begins with a star, a day must match both fields.
        mask.days.matchesEitherDayField = !day.beginsWithStar && !weekday.beginsWithStar
        return mask
    }

    /// Returns the mask of a macro; nil if the macro is unknown.
    private static func macro(_ name: UnsafeBufferPointer<UInt8>) -> ScheduleMask? {
        func isNamed(_ candidate: StaticString) -> Bool {
            name.count == candidate.utf8CodeUnitCount
                && zip(name, UnsafeBufferPointer(start: candidate.utf8Start, count: name.count))
                    .allSatisfy { $0 | 0x20 == $1 | 0x20 }
        }
        var mask = ScheduleMask(minutes: 1, hours: 1)
        mask.days = DayMask(daysOfMonth: ~0 >> 1, months: 0xfff, weekdays: 0x7f &* DayMask.everyGroup)
        if isNamed("@hourly") {
            mask.hours = ScheduleMask.allHours
        } else if isNamed("@weekly") {
            mask.days.weekdays = DayMask.everyGroup
        } else if isNamed("@monthly") {
            mask.days.daysOfMonth = 1
        } else if isNamed("@yearly") || isNamed("@annually") {
            mask.days.daysOfMonth = 1
            mask.days.months = 1
        } else if !isNamed("@daily") && !isNamed("@midnight") {
            return nil
        }
        return mask
    }

    /// The positions of the five fields in the expression.
    struct Fields {
        private var starts: (Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0)
        private var ends: (Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0)
        let isMacro: Bool

        /// Splits an expression at spaces and tabs.
        /// - Returns: nil if there are not five fields (one for a macro), or a line break occurs.
        init?(_ bytes: UnsafeBufferPointer<UInt8>) {
            var (position, count) = (0, 0)
            var isMacro = false
            while let start = bytes[position...].firstIndex(where: { !Self.isSpace($0) }) {
                let end = bytes[start...].firstIndex(where: Self.isSpace) ?? bytes.count
                // No line break is accepted.
                if bytes[start..<end].contains(where: { $0 == 10 || $0 == 13 }) { return nil }
                switch count {
                case 0: (starts.0, ends.0, isMacro) = (start, end, bytes[start] == UInt8(ascii: "@"))
                case 1: (starts.1, ends.1) = (start, end)
                case 2: (starts.2, ends.2) = (start, end)
                case 3: (starts.3, ends.3) = (start, end)
                case 4: (starts.4, ends.4) = (start, end)
                default: return nil
                }
                count += 1
                position = end
            }
            guard count == (isMacro ? 1 : 5) else { return nil }
            self.isMacro = isMacro
        }

        subscript(field: ScheduleField) -> Range<Int> {
            switch field {
            case .minute: starts.0..<ends.0
            case .hour: starts.1..<ends.1
            case .dayOfMonth: starts.2..<ends.2
            case .month: starts.3..<ends.3
            case .dayOfWeek: starts.4..<ends.4
            }
        }

        private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    }
}
