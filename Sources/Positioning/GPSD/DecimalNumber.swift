/// A number of JSON's grammar at the front of a run of bytes, correctly rounded.
struct DecimalNumber {
    /// The number; infinite where it exceeds a double's range.
    let value: Double
    /// How many bytes it takes.
    let length: Int

    /// 10 to the n is exact in a double up to n = 22.
    private static let exactPowersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// - Returns: nil where the bytes do not begin with a number.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        var digits = Digits(bytes: bytes)
        guard digits.read() else { return nil }
        length = digits.position
        value = Self.value(of: digits)
    }

    /// Clinger, "How to read floating point numbers accurately" (1990): an integer that a double holds exactly, times or
    /// divided by a power of ten that it holds exactly, is rounded once and therefore correctly. Everything else goes
    /// the standard library's way.
    private static func value(of digits: Digits) -> Double {
        guard digits.mantissa != 0 || digits.isCut else { return digits.isNegative ? -0.0 : 0 }
        guard !digits.isCut, digits.mantissa <= 1 << 53, (-22...22).contains(digits.exponent) else {
            let text = String(decoding: digits.bytes[..<digits.position], as: UTF8.self)
            // The grammar was checked: only a value beyond the range is refused, and that one is infinite or 0.
            return Double(text) ?? (digits.exponent > 0 ? .infinity : 0) * (digits.isNegative ? -1 : 1)
        }
        let integer = Double(digits.isNegative ? -Int64(digits.mantissa) : Int64(digits.mantissa))
        return digits.exponent < 0
            ? integer / exactPowersOfTen[-digits.exponent] : integer * exactPowersOfTen[digits.exponent]
    }
}

/// The digits of a number, as far as 64 bits hold them: ± mantissa × 10 ^ exponent.
private struct Digits {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    var isNegative = false
    var mantissa: UInt64 = 0
    var exponent = 0
    /// There were more digits than the mantissa holds.
    var isCut = false

    init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// - Returns: false where the grammar is broken.
    mutating func read() -> Bool {
        isNegative = take("-")
        let isLeadingZero = position < bytes.count && bytes[position] == UInt8(ascii: "0")
        let integerDigits = readDigits(areFraction: false)
        guard integerDigits == 1 || integerDigits > 1 && !isLeadingZero else { return false }
        if take(".") {
            guard readDigits(areFraction: true) > 0 else { return false }
        }
        if take("e") || take("E") { return readExponent() }
        return true
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func readDigits(areFraction: Bool) -> Int {
        let start = position
        while position < bytes.count, case let digit = bytes[position] &- 48, digit < 10 {
            if mantissa < 1_000_000_000_000_000_000 {
                mantissa = mantissa * 10 + UInt64(digit)
                if areFraction { exponent -= 1 }
            } else {
                isCut = true
                if !areFraction { exponent += 1 }
            }
            position += 1
        }
        return position - start
    }

    private mutating func readExponent() -> Bool {
        let isNegativeExponent = take("-")
        if !isNegativeExponent { _ = take("+") }
        let start = position
        var value = 0
        while position < bytes.count, case let digit = bytes[position] &- 48, digit < 10 {
            // Beyond any double's range already, however long the mantissa of a line is.
            value = min(value * 10 + Int(digit), 1_000_000)
            position += 1
        }
        exponent += isNegativeExponent ? -value : value
        return position > start
    }
}
