extension FixedWidthInteger {
    /// All digits of the number in base 16, with leading zeros: 16 of a `UInt64`.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
    }
}
