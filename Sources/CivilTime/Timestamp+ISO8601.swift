extension Timestamp {
    /// The instant as ISO-8601 in UTC with milliseconds, `2026-11-21T09:15:02.000Z`.
    ///
    /// The format has four digits for the year. A year outside 0 to 9999 is replaced by the nearest of these.
    public var iso8601: String {
        String(unsafeUninitializedCapacity: Self.iso8601Bytes) { writeISO8601(to: $0) }
    }

    private static let iso8601Bytes = 24

    /// Writes ``iso8601`` into a buffer.
    /// - Parameter text: A buffer of at least 24 bytes.
    /// - Returns: The number of bytes written: 24.
    public func writeISO8601(to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let day = millisecondsSinceEpoch.flooredDivision(by: 86_400_000)
        // Subtracting the start of the day would overflow for the first representable day.
        let remainder = Int(millisecondsSinceEpoch % 86_400_000)
        let milliseconds = remainder < 0 ? remainder + 86_400_000 : remainder
        let date = CivilDate(daysSinceEpoch: Int(day))
        text.put(min(max(date.year, 0), 9999), at: 0, digits: 4, then: "-")
        text.put(date.month, at: 5, digits: 2, then: "-")
        text.put(date.day, at: 8, digits: 2, then: "T")
        text.put(milliseconds / 3_600_000, at: 11, digits: 2, then: ":")
        text.put(milliseconds / 60_000 % 60, at: 14, digits: 2, then: ":")
        text.put(milliseconds / 1000 % 60, at: 17, digits: 2, then: ".")
        text.put(milliseconds % 1000, at: 20, digits: 3, then: "Z")
        return Self.iso8601Bytes
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Writes a number with leading zeros, and the character after it.
    fileprivate func put(_ value: Int, at start: Int, digits: Int, then separator: Unicode.Scalar) {
        var rest = value
        for index in stride(from: start + digits - 1, through: start, by: -1) {
            self[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        self[start + digits] = UInt8(ascii: separator)
    }
}
