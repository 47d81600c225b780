/// The encodings in which a program can write an axis of a coordinate.
enum CoordinateEncoding {
    typealias Spelling = @Sendable (_ degrees: Double) -> [[UInt8]]

    /// Encodings that are long enough to be evidence alone.
    static let long: [(name: String, spell: Spelling)] = [
        ("decimal text", decimals),
        ("text of degrees and minutes", minutes),
        ("double", { bothOrders($0.bitPattern) }),
        ("double of few decimals", { degrees in [5, 6, 7].flatMap { bothOrders(rounded(degrees, $0).bitPattern) } }),
        ("double of radians", { bothOrders(($0 * .pi / 180).bitPattern) }),
        ("bytes as a list of numbers", { listed(varints($0)) + listed(bothOrders($0.bitPattern)) }),
        ("bytes in hexadecimal", { hexadecimal(bothOrders($0.bitPattern)) }),
    ]

    /// Encodings for which both axes must be found.
    static let short: [(name: String, spell: Spelling)] = [
        ("short decimal text", shortDecimals),
        ("float", { bothOrders(Float($0).bitPattern) }),
        ("scaled integer", scaled),
        ("variable-length integer", varints),
    ]

    // MARK: Text

    /// Six decimals are a prefix of every longer decimal text. Fewer digits of one axis also occur by chance: the saved
    /// state contains many numbers.
    private static func decimals(_ degrees: Double) -> [[UInt8]] { decimals(degrees, count: 6) }

    /// Five decimals are about a metre: enough to identify a place.
    private static func shortDecimals(_ degrees: Double) -> [[UInt8]] { decimals(degrees, count: 5) }

    /// Returns the number in decimals, rounded and truncated.
    private static func decimals(_ degrees: Double, count: Int) -> [[UInt8]] {
        let scaled = abs(degrees) * power(count)
        let scale = Int(power(count))
        return [scaled.rounded(), scaled.rounded(.down)].flatMap { value -> [[UInt8]] in
            let digits = padded(Int(value) % scale, count)
            return [".", ","].map { Array("\(Int(value) / scale)\($0)\(digits)".utf8) }
        }
    }

    /// As in NMEA sentences, 4807.0380, and as 48°07.0380.
    private static func minutes(_ degrees: Double) -> [[UInt8]] {
        let whole = Int(abs(degrees))
        let thousandths = Int(((abs(degrees) - Double(whole)) * 60_000).rounded(.down))
        let text = "\(padded(thousandths / 1000, 2)).\(padded(thousandths % 1000, 3))"
        return ["\(padded(whole, 2))\(text)", "\(whole)°\(text)"].map { Array($0.utf8) }
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(count - text.count, 0)) + text
    }

    private static func listed(_ spellings: [[UInt8]]) -> [[UInt8]] {
        spellings.filter { $0.count >= 4 }.map { Array($0.map { String($0) }.joined(separator: ",").utf8) }
    }

    private static func hexadecimal(_ spellings: [[UInt8]]) -> [[UInt8]] {
        spellings.map { bytes in
            Array(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined().utf8)
        }
    }

    // MARK: Numbers

    private static func rounded(_ degrees: Double, _ decimals: Int) -> Double {
        let scale = power(decimals)
        return (degrees * scale).rounded() / scale
    }

    private static func power(_ decimals: Int) -> Double { (0..<decimals).reduce(1) { value, _ in value * 10 } }

    private static func bothOrders<Number: FixedWidthInteger>(_ number: Number) -> [[UInt8]] {
        let bytes = withUnsafeBytes(of: number.littleEndian) { Array($0) }
        return [bytes, bytes.reversed()]
    }

    /// Returns the number scaled by powers of ten, both rounded and truncated.
    private static func integers(_ degrees: Double) -> [Int64] {
        [5, 6, 7, 9].flatMap { decimals -> [Int64] in
            let value = degrees * power(decimals)
            return [Int64(value.rounded()), Int64(value.rounded(.towardZero))]
        }
    }

    /// Uses 32 bits if they suffice (the 64-bit form contains them), otherwise 64 bits.
    private static func scaled(_ degrees: Double) -> [[UInt8]] {
        integers(degrees).flatMap { value in
            Int32(exactly: value).map { bothOrders($0) } ?? bothOrders(value)
        }
    }

    private static func varints(_ degrees: Double) -> [[UInt8]] {
        integers(degrees).flatMap { value -> [[UInt8]] in
            let zigzag = UInt64(bitPattern: value << 1 ^ value >> 63)
            return [zigzag, value.magnitude].flatMap { [lowestFirst($0), highestFirst($0)] }
        }
    }

    /// LEB128, as in the input journal and in protocol buffers.
    private static func lowestFirst(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    /// As in SQLite records and in MIDI.
    private static func highestFirst(_ value: UInt64) -> [UInt8] {
        var bytes = [UInt8(value & 0x7F)]
        var rest = value >> 7
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }
}
