extension YearlyRule {
    /// Parses a POSIX `TZ` text such as `CET-1CEST,M3.5.0,M10.5.0/3` or `<-03>3`.
    ///
    /// Times below 0 and above 24 hours are accepted as in RFC 9636 (TZif version 3). A daylight saving time without
    /// dates is rejected, because POSIX leaves the dates to the implementation.
    init(posix text: some Sequence<UInt8>) throws(ZoneRulesError) {
        var reader = POSIXZoneReader(bytes: Array(text))
        try reader.skipName(of: "the zone")
        let standardOffset = -(try reader.duration(maximumHours: 24, of: "the offset"))
        guard !reader.isAtEnd else {
            self.init(standardOffsetSeconds: standardOffset, daylight: nil)
            return
        }
        try reader.skipName(of: "daylight saving time")
        var daylightOffset = standardOffset + 3600
        if reader.next != UInt8(ascii: ",") && !reader.isAtEnd {
            daylightOffset = -(try reader.duration(maximumHours: 24, of: "the offset of daylight saving time"))
        }
        let start = try reader.change("the start of daylight saving time")
        let end = try reader.change("the end of daylight saving time")
        guard reader.isAtEnd else { throw reader.error("nothing may follow the rule's two dates") }
        guard ZoneRules.offsetRangeSeconds.contains(daylightOffset) else {
            throw reader.error("the offset of daylight saving time is out of range")
        }
        self.init(
            standardOffsetSeconds: standardOffset,
            daylight: Daylight(offsetSeconds: daylightOffset, start: start, end: end))
    }
}

/// Reads the parts of a POSIX `TZ` text.
private struct POSIXZoneReader {
    let bytes: [UInt8]
    var position = 0

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }
    var isAtEnd: Bool { position >= bytes.count }

    func error(_ reason: String) -> ZoneRulesError {
        ZoneRulesError(at: position, "\(reason); a rule looks like CET-1CEST,M3.5.0,M10.5.0/3")
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Skips three or more letters, or letters, digits and signs in `<>`.
    mutating func skipName(of what: String) throws(ZoneRulesError) {
        let isQuoted = skip("<")
        let start = position
        while let byte = next, byte.isASCIILetter || (isQuoted && (byte.isASCIIDigit || byte == 43 || byte == 45)) {
            position += 1
        }
        guard position - start >= 3 else { throw error("the name of \(what) has fewer than three letters") }
        if isQuoted && !skip(">") { throw error("\">\" is missing after the name of \(what)") }
    }

    mutating func number(_ range: ClosedRange<Int>, of what: String) throws(ZoneRulesError) -> Int {
        var value = 0
        let start = position
        while let byte = next, byte.isASCIIDigit, position - start < 4 {
            value = value * 10 + Int(byte - 48)
            position += 1
        }
        guard position > start else { throw error("\(what) has no number") }
        guard range.contains(value) else {
            throw error("\(what) is \(value), not \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Reads `[+-]hh[:mm[:ss]]` as seconds.
    mutating func duration(maximumHours: Int, of what: String) throws(ZoneRulesError) -> Int {
        let isNegative = skip("-")
        if !isNegative { _ = skip("+") }
        var seconds = try number(0...maximumHours, of: what) * 3600
        if skip(":") {
            seconds += try number(0...59, of: what) * 60
            if skip(":") { seconds += try number(0...59, of: what) }
        }
        return isNegative ? -seconds : seconds
    }

    /// Reads `,date[/time]`. The default time is 02:00.
    mutating func change(_ what: String) throws(ZoneRulesError) -> YearlyChange {
        guard skip(",") else { throw error("\(what) is missing") }
        let day: YearlyChange.Day
        if skip("J") {
            day = .ofCommonYear(try number(1...365, of: what))
        } else if skip("M") {
            let month = try number(1...12, of: what)
            guard skip(".") else { throw error("\(what) has no week") }
            let week = try number(1...5, of: what)
            guard skip(".") else { throw error("\(what) has no weekday") }
            day = .weekday(try number(0...6, of: what), week: week, month: month)
        } else {
            day = .ofYear(try number(0...365, of: what))
        }
        let time = skip("/") ? try duration(maximumHours: 167, of: what) : 7200
        return YearlyChange(day: day, timeSeconds: time)
    }
}

extension UInt8 {
    var isASCIIDigit: Bool { self >= 48 && self <= 57 }
    var isASCIILetter: Bool { (self | 0x20) >= 97 && (self | 0x20) <= 122 }
}
