extension Timestamp {
    /// Reads ISO-8601 with a zone, `2026-11-21T09:15:02.123Z` or `…+01:00`.
    ///
    /// The fraction may have any number of digits; digits after the milliseconds are ignored. A leap second (`:60`) is
    /// read as the first second of the next minute, as on the POSIX scale.
    /// - Returns: nil if the text has another form or a field is out of range.
    public init?(iso8601 text: some StringProtocol) {
        var copy = String(text)
        let parsed = copy.withUTF8 { Timestamp(iso8601Bytes: $0) }
        guard let parsed else { return nil }
        self = parsed
    }

    /// Reads the same as ``init(iso8601:)`` from ASCII bytes, for example from a receiver's report.
    public init?(iso8601Bytes bytes: UnsafeBufferPointer<UInt8>) {
        var reader = DigitReader(bytes: bytes)
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), (1...12).contains(month), reader.skip("-"),
            let day = reader.number(digits: 2), day >= 1, day <= CivilDate.daysIn(month: month, ofYear: year),
            reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(digits: 2), hour <= 23, reader.skip(":"),
            let minute = reader.number(digits: 2), minute <= 59, reader.skip(":"),
            let second = reader.number(digits: 2), second <= 60,
            let milliseconds = reader.fraction(),
            let offsetMinutes = reader.zone(), reader.isAtEnd
        else { return nil }
        let days = Int64(CivilDate(year: year, month: month, day: day).daysSinceEpoch)
        let minutes = days * 1440 + Int64(hour * 60 + minute - offsetMinutes)
        self.init(millisecondsSinceEpoch: (minutes * 60 + Int64(second)) * 1000 + Int64(milliseconds))
    }
}

extension CivilDate {
    /// Returns the number of days of a month.
    /// - Parameter month: 1 to 12.
    public static func daysIn(month: Int, ofYear year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// Reads fixed-width decimal fields from ASCII bytes.
private struct DigitReader {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func number(digits: Int) -> Int? {
        guard position + digits <= bytes.count else { return nil }
        var value = 0
        for _ in 0..<digits {
            guard let digit = nextDigit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Reads milliseconds; 0 if there is no fraction, nil if no digit follows the decimal point.
    mutating func fraction() -> Int? {
        guard skip(".") || skip(",") else { return 0 }
        guard var value = nextDigit().map({ $0 * 100 }) else { return nil }
        var weight = 10
        while let digit = nextDigit() {
            value += digit * weight
            weight /= 10
        }
        return value
    }

    /// Reads a zone as minutes east of UTC.
    mutating func zone() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(digits: 2), hours <= 23 else { return nil }
        _ = skip(":")
        guard let minutes = number(digits: 2), minutes <= 59 else { return nil }
        return sign * (hours * 60 + minutes)
    }

    private mutating func nextDigit() -> Int? {
        guard position < bytes.count, case let byte = bytes[position], byte >= 48, byte <= 57 else { return nil }
        position += 1
        return Int(byte) - 48
    }
}
