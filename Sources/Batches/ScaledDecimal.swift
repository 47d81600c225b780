/// A decimal number as an integer and a count of decimals.
///
/// Within the limits, sums and differences are exact in programs that calculate with doubles. The quotient of two exact
/// doubles is rounded once, so it is the double nearest to the decimal number.
struct ScaledDecimal {
    /// The largest magnitude of the integer. A difference of two is exact in a double.
    static let largestMantissa: Int64 = 1 << 52
    /// The largest count of decimals.
    static let mostDecimals = 15

    /// The number, multiplied by 10 to the power of ``decimals``.
    let mantissa: Int64
    /// The count of decimals.
    let decimals: Int

    /// Creates a number from its text. Nil if ``text(of:decimals:)`` would not return the same text, or if a limit is
    /// exceeded.
    init?(_ text: ArraySlice<UInt8>) {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        var (mantissa, decimals): (Int64, Int?) = (0, nil)
        for byte in digits {
            if byte == UInt8(ascii: "."), decimals == nil {
                decimals = 0
            } else {
                guard case let digit = byte &- UInt8(ascii: "0"), digit <= 9, mantissa <= Self.largestMantissa else {
                    return nil
                }
                mantissa = mantissa * 10 + Int64(digit)
                decimals = decimals.map { $0 + 1 }
            }
        }
        guard mantissa <= Self.largestMantissa, decimals ?? 0 <= Self.mostDecimals else { return nil }
        (self.mantissa, self.decimals) = (isNegative ? -mantissa : mantissa, decimals ?? 0)
        // Excludes zeros before and after the other digits, a number without digits, and −0.
        guard let first = digits.first, first != UInt8(ascii: "."), mantissa != 0 || !isNegative else { return nil }
        if first == UInt8(ascii: "0"), digits.count > 1, decimals != digits.count - 2 { return nil }
        if decimals != nil, digits.last == UInt8(ascii: "0") || digits.last == UInt8(ascii: ".") { return nil }
    }

    /// Returns the integer for a larger count of decimals; nil if a limit is exceeded.
    func mantissa(decimals wanted: Int) -> Int64? {
        var scaled = mantissa
        for _ in decimals..<wanted {
            scaled *= 10
            guard scaled.magnitude <= Self.largestMantissa.magnitude else { return nil }
        }
        return scaled
    }

    /// Returns the shortest text of an integer divided by a power of ten.
    static func text(of mantissa: Int64, decimals: Int) -> [UInt8] {
        var digits = Array(String(mantissa.magnitude).utf8)
        if decimals > 0 {
            let missing = decimals + 1 - digits.count
            if missing > 0 { digits.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: missing), at: 0) }
            digits.insert(UInt8(ascii: "."), at: digits.count - decimals)
            while digits.last == UInt8(ascii: "0") { digits.removeLast() }
            if digits.last == UInt8(ascii: ".") { digits.removeLast() }
        }
        return mantissa < 0 ? [UInt8(ascii: "-")] + digits : digits
    }
}
