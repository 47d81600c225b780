extension FixedWidthInteger {
    /// All its digits, zeros before them: 16 of a `UInt64`.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
    }
}
