/// Reads JSON (RFC 8259) off a run of bytes, front to back, without building a tree.
///
/// Every step says whether the text is well-formed so far; it never reads beyond the end and never recurses. Strings are
/// not checked to be UTF-8: what is not becomes U+FFFD when a string is taken out.
struct JSONScanner {
    /// Deeper nesting counts as malformed: gpsd's reports nest three deep, and a level costs a bit of one word.
    static let deepestNesting = 64

    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The next byte that is not white space, without taking it.
    var next: UInt8? {
        mutating get {
            skipWhitespace()
            return position < bytes.count ? bytes[position] : nil
        }
    }

    /// Whether nothing but white space is left.
    var isAtEnd: Bool {
        mutating get { next == nil }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }
}

// MARK: - Strings

extension JSONScanner {
    /// A string's place between its quotes.
    struct Token {
        let range: Range<Int>
        let hasEscapes: Bool
    }

    /// Takes a string; nil where there is none, or a malformed one.
    mutating func string() -> Token? {
        guard take("\"") else { return nil }
        let start = position
        var hasEscapes = false
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return Token(range: start..<(position - 1), hasEscapes: hasEscapes) }
            guard byte >= 0x20 else { return nil }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                guard skipEscape() else { return nil }
            }
        }
        return nil
    }

    private mutating func skipEscape() -> Bool {
        guard position < bytes.count else { return false }
        let byte = bytes[position]
        position += 1
        switch Unicode.Scalar(byte) {
        case "\"", "\\", "/", "b", "f", "n", "r", "t": return true
        case "u":
            guard position + 4 <= bytes.count, Self.hexadecimal(bytes[position..<(position + 4)]) != nil
            else { return false }
            position += 4
            return true
        default: return false
        }
    }

    /// Hands over a string's bytes, escapes resolved.
    func withBytes<Result>(of token: Token, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let raw = UnsafeBufferPointer(rebasing: bytes[token.range])
        guard token.hasEscapes else { return body(raw) }
        return Self.unescaped(raw).withUnsafeBufferPointer(body)
    }

    private static func unescaped(_ raw: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var units: [UInt8] = []
        var index = 0
        while index < raw.count {
            let byte = raw[index]
            guard byte == UInt8(ascii: "\\") else {
                units.append(byte)
                index += 1
                continue
            }
            let letter = Unicode.Scalar(raw[index + 1])
            index += 2
            switch letter {
            case "b": units.append(0x08)
            case "f": units.append(0x0C)
            case "n": units.append(0x0A)
            case "r": units.append(0x0D)
            case "t": units.append(0x09)
            case "u": units.append(contentsOf: unescapedUnicode(raw, at: &index).utf8)
            default: units.append(UInt8(truncatingIfNeeded: letter.value))
            }
        }
        return units
    }

    /// The character of the four digits at `index`, and of a second escape where they are half of a pair.
    private static func unescapedUnicode(_ raw: UnsafeBufferPointer<UInt8>, at index: inout Int) -> String {
        var codeUnits = [hexadecimal(raw[index..<(index + 4)]) ?? 0xFFFD]
        index += 4
        if UTF16.isLeadSurrogate(codeUnits[0]), index + 6 <= raw.count, raw[index] == UInt8(ascii: "\\"),
            raw[index + 1] == UInt8(ascii: "u"),
            let trail = hexadecimal(raw[(index + 2)..<(index + 6)]), UTF16.isTrailSurrogate(trail)
        {
            codeUnits.append(trail)
            index += 6
        }
        return String(decoding: codeUnits, as: UTF16.self)
    }

    private static func hexadecimal(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt16? {
        var value: UInt16 = 0
        for byte in digits {
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt16(byte - 0x30)
            case 0x41...0x46: value = value << 4 | UInt16(byte - 0x41 + 10)
            case 0x61...0x66: value = value << 4 | UInt16(byte - 0x61 + 10)
            default: return nil
            }
        }
        return value
    }
}

// MARK: - Numbers

extension JSONScanner {
    /// Takes a number, correctly rounded; nil where there is none, or a malformed one.
    mutating func number() -> Double? {
        skipWhitespace()
        guard let reader = DecimalNumber(UnsafeBufferPointer(rebasing: bytes[position...])) else { return nil }
        position += reader.length
        return reader.value
    }
}

// MARK: - Values that are not wanted

extension JSONScanner {
    /// Takes any value and checks its grammar.
    mutating func skipValue() -> Bool {
        var isObject: UInt64 = 0  // one bit a level, the innermost lowest
        var depth = 0
        while true {
            guard skipOpening(&isObject, &depth) else { return false }
            // A scalar or an empty container has just ended: close what ends with it, or go on behind a comma.
            while depth > 0 {
                if take(",") {
                    if isObject & 1 == 1 { guard string() != nil, take(":") else { return false } }
                    break
                }
                guard take(isObject & 1 == 1 ? "}" : "]") else { return false }
                isObject >>= 1
                depth -= 1
            }
            if depth == 0 { return true }
        }
    }

    /// Goes in to the next scalar, opening the containers before it.
    private mutating func skipOpening(_ isObject: inout UInt64, _ depth: inout Int) -> Bool {
        while let byte = next {
            switch Unicode.Scalar(byte) {
            case "{":
                position += 1
                if take("}") { return true }
                guard depth < Self.deepestNesting, string() != nil, take(":") else { return false }
                isObject = isObject << 1 | 1
                depth += 1
            case "[":
                position += 1
                if take("]") { return true }
                guard depth < Self.deepestNesting else { return false }
                isObject <<= 1
                depth += 1
            default: return skipScalar(byte)
            }
        }
        return false
    }

    private mutating func skipScalar(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "\"": string() != nil
        case "t": skipWord("true")
        case "f": skipWord("false")
        case "n": skipWord("null")
        default: number() != nil
        }
    }

    mutating func skipWord(_ word: StaticString) -> Bool {
        skipWhitespace()
        guard position + word.utf8CodeUnitCount <= bytes.count else { return false }
        for index in 0..<word.utf8CodeUnitCount where bytes[position + index] != word.utf8Start[index] { return false }
        position += word.utf8CodeUnitCount
        return true
    }
}
