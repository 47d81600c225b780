import OdographHarness
import OdographJSON
import Testing

@Suite("Reading numbers")
struct DecimalNumberTests {
    private func value(_ text: String) -> Double? {
        Array((text + ",").utf8).withUnsafeBufferPointer { bytes in
            var place = 0
            let number = DecimalNumber.parse(bytes, &place)
            return place == bytes.count - 1 ? number : nil
        }
    }

    @Test("Random numbers are rounded as the standard library rounds them")
    func random() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<100_000 {
            let digits = Int.random(in: 1...22, using: &generator)
            let mantissa = (0..<digits).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
            var text = (Bool.random(using: &generator) ? "-" : "") + String(Int.random(in: 0...180, using: &generator))
            if Bool.random(using: &generator) { text += "." + mantissa }
            if Int.random(in: 0...3, using: &generator) == 0 {
                text += "e\(Int.random(in: -330...330, using: &generator))"
            }
            #expect(value(text)?.bitPattern == Double(text)?.bitPattern, "\(text)")
        }
    }

    @Test(
        "Extremes are read",
        arguments: [
            ("0", 0.0), ("-0", -0.0), ("0.0e5", 0), ("9007199254740993", 9_007_199_254_740_992), ("1e22", 1e22),
            ("1e23", 1e23),
            ("4.9e-324", .leastNonzeroMagnitude), ("1e-400", 0), ("1e400", .infinity), ("-1e99999999", -.infinity),
            ("123456789012345678901234567890", 0x1.8ee90ff6c373ep+96), ("1E+2", 100), ("0.1", 0.1),
        ])
    func extremes(text: String, expected: Double) {
        #expect(value(text)?.bitPattern == expected.bitPattern)
    }
}
