extension FixedWidthInteger {
    /// All hexadecimal digits, with leading zeros: 16 for a `UInt64`.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
    }
}
