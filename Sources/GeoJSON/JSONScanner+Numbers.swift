extension JSONScanner {
    /// A number of more characters than this is none that somebody means.
    private static let longestNumber = 1024

    /// Takes a number.
    ///
    /// - Returns: the nearest Double; infinite where there is none so large.
    mutating func readNumber() throws(GeoJSONError) -> Double {
        let start = position
        let fast = bytes.withUnsafeBufferPointer { bytes -> (value: Double, end: Int)? in
            var place = start
            return DecimalNumber.parse(bytes, &place).map { ($0, place) }
        }
        if let fast {
            position = fast.end
            return fast.value
        }
        return try readLongNumber()
    }

    /// Takes a number that has an exponent or many digits, or that lies on the border of two pieces.
    private mutating func readLongNumber() throws(GeoJSONError) -> Double {
        try readNumberText()
        let spelling = text
        var place = 0
        let padded = spelling + [0x20]
        if let value = padded.withUnsafeBufferPointer({ DecimalNumber.parse($0, &place) }), place == spelling.count {
            return value
        }
        guard let value = Double(String(decoding: spelling, as: UTF8.self)) else {
            throw failure("\(String(decoding: spelling, as: UTF8.self)) is no number")
        }
        return value
    }

    /// Takes a number as it is spelled, into ``text``.
    mutating func readNumberText() throws(GeoJSONError) {
        text.removeAll(keepingCapacity: true)
        if try peekToken() == UInt8(ascii: "-") { try keep() }
        if try peek() == UInt8(ascii: "0") { try keep() } else { try keepDigits() }
        if try hasByte() {
            if bytes[position] == UInt8(ascii: ".") {
                try keep()
                try keepDigits()
            }
        }
        if try hasByte() {
            if bytes[position] | 0x20 == UInt8(ascii: "e") {
                try keep()
                if [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(try peek()) { try keep() }
                try keepDigits()
            }
        }
        guard try hasByte() else { return }
        switch bytes[position] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            throw failure("a number with a zero before it: take the zero out")
        case UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            throw failure("\(seen()) does not belong into a number")
        default: return
        }
    }

    private mutating func hasByte() throws(GeoJSONError) -> Bool {
        if position < bytes.count { return true }
        return try refill()
    }

    private mutating func keep() throws(GeoJSONError) {
        guard text.count < Self.longestNumber else {
            throw failure("a number of more than \(Self.longestNumber) characters")
        }
        text.append(try take())
    }

    private mutating func keepDigits() throws(GeoJSONError) {
        guard (0x30...0x39).contains(try peek()) else { throw failure("a digit was expected, not \(seen())") }
        while try hasByte() {
            guard (0x30...0x39).contains(bytes[position]) else { return }
            try keep()
        }
    }
}

/// Reads decimal numbers as coordinates have them, right to the last bit.
enum DecimalNumber {
    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
    ]

    /// Reads a number of up to 19 digits without an exponent.
    ///
    /// - Parameter place: where it begins; then where it ends.
    /// - Returns: nil for any other number, one that is none, and one that reaches to the end of the bytes: more may come.
    @inline(__always)
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Double? {
        var index = place
        let count = bytes.count
        guard index + 1 < count else { return nil }
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var mantissa: UInt64 = 0
        let start = index
        while index < count, bytes[index] &- 0x30 <= 9 {
            mantissa = mantissa &* 10 &+ UInt64(bytes[index] &- 0x30)
            index += 1
        }
        var digits = index - start
        guard digits > 0, digits == 1 || bytes[start] != 0x30, index < count else { return nil }
        var decimals = 0
        if bytes[index] == UInt8(ascii: ".") {
            index += 1
            let first = index
            while index < count, bytes[index] &- 0x30 <= 9 {
                mantissa = mantissa &* 10 &+ UInt64(bytes[index] &- 0x30)
                index += 1
            }
            decimals = index - first
            guard decimals > 0, index < count else { return nil }
            digits += decimals
        }
        guard digits <= 19, ends(bytes[index]) else { return nil }
        place = index
        let value = magnitude(mantissa, decimals)
        return isNegative ? -value : value
    }

    /// Whether a byte ends a number.
    @inline(__always)
    private static func ends(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") || byte <= 0x20
    }

    /// The Double nearest to `mantissa` × 10⁻ᵈᵉᶜⁱᵐᵃˡˢ.
    @inline(__always)
    private static func magnitude(_ mantissa: UInt64, _ decimals: Int) -> Double {
        // Both are Doubles without rounding, and one division rounds once.
        if mantissa < 1 << 53 { return Double(mantissa) / powers[decimals] }
        return rounded(mantissa, decimals)
    }

    /// The same where the digits are more than a Double holds: the quotient of 64 bits, with what is left over as its
    /// last bit, is rounded once.
    private static func rounded(_ mantissa: UInt64, _ decimals: Int) -> Double {
        var divisor: UInt64 = 1
        for _ in 0..<decimals { divisor *= 10 }
        let lift = mantissa.leadingZeroBitCount
        let divisorLift = divisor.leadingZeroBitCount
        let dividend = mantissa << UInt64(lift)
        // Half of the dividend is below the divisor, whose first bit is set: the quotient has 63 or 64 bits.
        let (quotient, remainder) = (divisor << UInt64(divisorLift)).dividingFullWidth((dividend >> 1, dividend << 63))
        let sticky = quotient | (remainder == 0 ? 0 : 1)
        let scale = Double(bitPattern: UInt64(1023 + divisorLift - lift - 63) << 52)
        return Double(sticky) * scale
    }
}
