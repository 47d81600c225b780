/// Parses numbers of JSON's grammar, correctly rounded.
package enum DecimalNumber {
    /// The maximum length of a number, characters.
    static let maximumLength = 1024

    /// The powers of ten that a double holds exactly: up to 10^22.
    private static let exactPowersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// Parses a number.
    ///
    /// - Parameter place: the index of the number's first byte; on return, of the byte after it.
    /// - Returns: the nearest double, infinite if the number exceeds a double's range. Nil if there is no number, if
    ///   a byte other than white space, a comma or a closing bracket follows it, or if it reaches to the end of the
    ///   bytes: then more digits can follow.
    package static func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Double? {
        var index = place
        guard index < bytes.count else { return nil }
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var mantissa: UInt64 = 0
        let integer = index
        readDigits(bytes, &index, &mantissa)
        var digits = index - integer
        guard digits == 1 || digits > 1 && bytes[integer] != UInt8(ascii: "0"), index < bytes.count else { return nil }
        var exponent = 0
        if bytes[index] == UInt8(ascii: ".") {
            index += 1
            let fraction = index
            readDigits(bytes, &index, &mantissa)
            guard index > fraction, index < bytes.count else { return nil }
            exponent = fraction - index
            digits -= exponent
        }
        if bytes[index] | 0x20 == UInt8(ascii: "e") {
            guard let power = readExponent(bytes, &index), index < bytes.count else { return nil }
            exponent += power
        }
        guard endsNumber(bytes[index]), index - place <= maximumLength else { return nil }
        defer { place = index }
        // 19 digits fit 64 bits.
        if digits <= 19, let magnitude = magnitude(mantissa, exponent) { return isNegative ? -magnitude : magnitude }
        return Double(String(decoding: bytes[place..<index], as: UTF8.self))
    }

    @inline(__always)
    private static func readDigits(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ mantissa: inout UInt64) {
        while index < bytes.count, case let digit = bytes[index] &- 0x30, digit <= 9 {
            mantissa = mantissa &* 10 &+ UInt64(digit)
            index += 1
        }
    }

    private static func readExponent(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Int? {
        index += 1
        guard index < bytes.count else { return nil }
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative || bytes[index] == UInt8(ascii: "+") { index += 1 }
        let start = index
        var value = 0
        while index < bytes.count, case let digit = bytes[index] &- 0x30, digit <= 9 {
            // The limit is beyond the range of a double.
            value = min(value * 10 + Int(digit), 1_000_000)
            index += 1
        }
        guard index > start else { return nil }
        return isNegative ? -value : value
    }

    @inline(__always)
    private static func endsNumber(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") || byte <= 0x20
    }

    /// Returns the double nearest to mantissa × 10 ^ exponent, or nil if that needs more than one rounding.
    @inline(__always)
    private static func magnitude(_ mantissa: UInt64, _ exponent: Int) -> Double? {
        // Clinger, "How to read floating point numbers accurately" (1990): a double holds both factors exactly, and the
        // one operation rounds once.
        if mantissa <= 1 << 53, (-22...22).contains(exponent) {
            return exponent < 0
                ? Double(mantissa) / exactPowersOfTen[-exponent] : Double(mantissa) * exactPowersOfTen[exponent]
        }
        return mantissa > 0 && (-19...0).contains(exponent) ? quotient(mantissa, decimals: -exponent) : nil
    }

    /// Returns mantissa ÷ 10 ^ decimals: the 64-bit quotient has the remainder as its last bit and is rounded once.
    private static func quotient(_ mantissa: UInt64, decimals: Int) -> Double {
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
