import OdographCivilTime

/// The parsed values of one field.
struct FieldBits {
    /// Bit `n`: the number `n`.
    var values: UInt64 = 0
    /// The numbered weekdays, in the form of ``DayMask/weekdays``; for the weekday field only.
    var numberedWeekdays: UInt64 = 0
    /// Whether there is an `L`; for the day of month field only.
    var hasLastDay = false
    /// Whether the first character is a star, which decides how cron combines day of month and weekday.
    var beginsWithStar = false

    /// The weekdays in the form of ``DayMask/weekdays``, plain and numbered; for the weekday field only.
    var weekdayGroups: UInt64 {
        let plain = (values | values >> 7 & 1) & 0x7f
        return plain &* DayMask.everyGroup | numberedWeekdays
    }
}

/// Parses one field: a list of stars, numbers, names, ranges and steps.
struct FieldParser {
    let field: ScheduleField
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    private var bits = FieldBits()

    init(field: ScheduleField, bytes: UnsafeBufferPointer<UInt8>) {
        self.field = field
        self.bytes = bytes
    }

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func parse() throws(ScheduleError) -> FieldBits {
        bits.beginsWithStar = next == UInt8(ascii: "*")
        repeat { try item() } while skip(",")
        guard position == bytes.count else { throw unexpected() }
        return bits
    }

    private mutating func item() throws(ScheduleError) {
        let start = position
        if next == nil || next == UInt8(ascii: ",") { throw emptyItem() }
        if skip("*") {
            // Sunday has two numbers, 0 and 7; a star counts it only as 0.
            let last = field == .dayOfWeek ? 6 : field.range.upperBound
            try add(field.range.lowerBound...last, step: try step() ?? 1)
            return
        }
        if field == .dayOfMonth, (next ?? 0) | 0x20 == UInt8(ascii: "l"), endsItem(at: position + 1) {
            position += 1
            bits.hasLastDay = true
            return
        }
        let first = try value(isRangeEnd: false)
        if field == .dayOfWeek && skip("#") {
            try numbered(weekday: first % 7)
        } else if skip("-") {
            let last = try value(isRangeEnd: true)
            guard first <= last else { throw reversedRange(from: start, first, last) }
            if field == .dayOfWeek && next == UInt8(ascii: "#") {
                throw error(from: start, "\"#\" needs one weekday before it, such as \"\(first)#1,\(last)#1\"")
            }
            try add(first...last, step: try step() ?? 1)
        } else if let step = try step() {
            try add(first...field.range.upperBound, step: step)
        } else {
            bits.values |= 1 << UInt64(first)
        }
    }

    private func endsItem(at index: Int) -> Bool { index >= bytes.count || bytes[index] == UInt8(ascii: ",") }

    private mutating func add(_ range: ClosedRange<Int>, step: Int) throws(ScheduleError) {
        if step == 1 {
            bits.values |= (~0 >> UInt64(63 - range.upperBound)) & (~0 << UInt64(range.lowerBound))
        } else {
            for value in stride(from: range.lowerBound, through: range.upperBound, by: step) {
                bits.values |= 1 << UInt64(value)
            }
        }
    }

    /// Reads `/n`; nil if there is none.
    private mutating func step() throws(ScheduleError) -> Int? {
        guard skip("/") else { return nil }
        let start = position
        guard let step = try number() else { throw badStep(from: start) }
        guard step > 0 else { throw badStep(from: start) }
        if let next, next == UInt8(ascii: "/") || next == UInt8(ascii: ".") { throw badStep(from: start) }
        return step
    }

    private mutating func numbered(weekday: Int) throws(ScheduleError) {
        let start = position
        guard let number = try number(), (1...5).contains(number) else {
            throw badNumberedWeekday(weekday, from: start)
        }
        bits.numberedWeekdays |= 1 << UInt64((number - 1) * 7 + weekday)
    }

    /// Reads a number in the field's range, or a name.
    private mutating func value(isRangeEnd: Bool) throws(ScheduleError) -> Int {
        let start = position
        if let number = try number() {
            guard field.range.contains(number) else { throw outOfRange(number, from: start) }
            return number
        }
        guard let next, next.isLetter else { throw missingValue(isRangeEnd: isRangeEnd) }
        guard let value = name() else { throw unknownName(from: start) }
        // In "FRI-SUN", SUN is 7, the Sunday at the end of the week.
        return field == .dayOfWeek && isRangeEnd && value == 0 && !rangeStartsOnSunday(before: start) ? 7 : value
    }

    private func rangeStartsOnSunday(before position: Int) -> Bool {
        guard position >= 2, case let byte = bytes[position - 2] | 0x20 else { return false }
        // The character before "-" is "0" or the end of "SUN". The only other weekday that ends in "N" is "MON".
        let isSunday = position >= 4 && byte == UInt8(ascii: "n") && bytes[position - 3] | 0x20 == UInt8(ascii: "u")
        return byte == UInt8(ascii: "0") || isSunday
    }

    /// Reads digits; nil if there are none.
    private mutating func number() throws(ScheduleError) -> Int? {
        let start = position
        var value = 0
        while let digit = next, digit.isDigit {
            // No field needs six digits.
            guard position - start < 6 || value == 0 else { throw numberTooLarge(from: start) }
            value = value * 10 + Int(digit - 48)
            position += 1
        }
        return position > start ? value : nil
    }

    /// Reads the three letters of a month or weekday that no fourth letter follows.
    private mutating func name() -> Int? {
        guard field == .month || field == .dayOfWeek, position + 3 <= bytes.count else { return nil }
        if position + 3 < bytes.count, bytes[position + 3].isLetter { return nil }
        let key = Self.key(bytes[position], bytes[position + 1], bytes[position + 2])
        guard let value = field == .month ? Self.month(key) : Self.weekday(key) else { return nil }
        position += 3
        return value
    }

    private static func key(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> UInt32 {
        UInt32(first | 0x20) << 16 | UInt32(second | 0x20) << 8 | UInt32(third | 0x20)
    }

    private static func weekday(_ key: UInt32) -> Int? {
        FieldNames.weekdayKeys.firstIndex(of: key)
    }

    private static func month(_ key: UInt32) -> Int? {
        FieldNames.monthKeys.firstIndex(of: key).map { $0 + 1 }
    }
}

/// The names of months and weekdays in a crontab.
enum FieldNames {
    static let weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
    static let months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
    static let longWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let longMonths = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    /// The three lower-case letters as the bytes of a number.
    static let weekdayKeys = weekdays.map(key)
    static let monthKeys = months.map(key)

    private static func key(_ name: String) -> UInt32 { name.utf8.reduce(0) { $0 << 8 | UInt32($1 | 0x20) } }
}

extension UInt8 {
    var isDigit: Bool { self >= 48 && self <= 57 }
    var isLetter: Bool { (self | 0x20) >= 97 && (self | 0x20) <= 122 }
}
