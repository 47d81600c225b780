import OdographCivilTime

/// A line of a log of `candump -l` (can-utils): `(1436509052.249713) can0 18FEF100#FFFF00FFFFFFFFFF`.
package struct CandumpLine: Hashable, Sendable {
    /// The time of the frame.
    package let time: Timestamp
    /// The name of the interface.
    package let interface: String
    /// The frame.
    package let frame: CANFrame

    /// Creates a line.
    package init(time: Timestamp, interface: String, frame: CANFrame) {
        self.time = time
        self.interface = interface
        self.frame = frame
    }

    /// Reads a line. Nil for any other line, and for remote frames, frames of CAN FD and errors of the controller.
    package init?(_ bytes: some Sequence<UInt8>) {
        let words = Array(bytes).split(separator: UInt8(ascii: " "))
        guard words.count >= 3, let time = Self.time(words[0]),
            let frame = Self.frame(words[2])
        else { return nil }
        self.time = time
        interface = String(decoding: words[1], as: UTF8.self)
        self.frame = frame
    }

    /// The line without its line break. An identifier of 11 bits has three digits, one of 29 bits has eight.
    package var text: String {
        let milliseconds = time.millisecondsSinceEpoch
        let fraction = String(milliseconds % 1000)
        let identifier = Self.hexadecimal(frame.identifier, digits: frame.isExtended ? 8 : 3)
        let data = frame.bytes.map { Self.hexadecimal(UInt32($0), digits: 2) }.joined()
        let micros = String(repeating: "0", count: 3 - fraction.count) + fraction + "000"
        return "(\(milliseconds / 1000).\(micros)) \(interface) \(identifier)#\(data)"
    }

    private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(digits - text.count, 0)) + text
    }

    private static func time(_ word: ArraySlice<UInt8>) -> Timestamp? {
        guard word.first == UInt8(ascii: "("), word.last == UInt8(ascii: ")") else { return nil }
        let parts = word.dropFirst().dropLast().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count <= 12, parts[1].count == 6, let seconds = decimal(parts[0]),
            let microseconds = decimal(parts[1])
        else { return nil }
        return Timestamp(millisecondsSinceEpoch: seconds * 1000 + microseconds / 1000)
    }

    private static func decimal(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return value
    }

    private static func frame(_ word: ArraySlice<UInt8>) -> CANFrame? {
        let parts = word.split(separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 3 || parts[0].count == 8, parts[1].count % 2 == 0,
            let identifier = hexadecimal(parts[0])
        else { return nil }
        var bytes: [UInt8] = []
        var rest = parts[1]
        while !rest.isEmpty {
            guard let byte = hexadecimal(rest.prefix(2)) else { return nil }
            bytes.append(UInt8(byte))
            rest = rest.dropFirst(2)
        }
        return CANFrame(identifier: identifier, isExtended: parts[0].count == 8, bytes: bytes)
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt32? {
        digits.reduce(UInt32?(0)) { value, digit in
            guard let value, let nibble = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            return value << 4 | UInt32(nibble)
        }
    }
}
