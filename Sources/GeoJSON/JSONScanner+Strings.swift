extension JSONScanner {
    /// No text of a fence is longer, bytes; what is longer is passed over with this much of it kept.
    static let longestText = 1 << 16

    /// Takes a string; what it says is in ``text``.
    mutating func readString() throws(GeoJSONError) {
        text.removeAll(keepingCapacity: true)
        position += 1
        while true {
            let start = position
            let end = plainEnd()
            append(start, end)
            position = end
            let byte = try peek()
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"):
                position += 1
                try readEscape()
            case 0x80...: try readMultibyte()
            case ..<0x20: throw failure("a control character in a string: write it as an escape, \\n or \\u0009")
            default: continue
            }
        }
    }

    /// What ``readString()`` has read.
    var string: String { String(decoding: text, as: UTF8.self) }

    /// Where the bytes end that stand for themselves, in this piece.
    private func plainEnd() -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            var end = position
            while end < bytes.count {
                let byte = bytes[end]
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte >= 0x80 || byte < 0x20 { break }
                end += 1
            }
            return end
        }
    }

    private mutating func append(_ start: Int, _ end: Int) {
        let room = Self.longestText - text.count
        if end > start, room > 0 { text.append(contentsOf: bytes[start..<min(end, start + room)]) }
    }

    private mutating func append(_ scalar: UnicodeScalar) {
        guard text.count + 4 <= Self.longestText else { return }
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// Takes a character of two to four bytes; those that UTF-8 forbids (overlong, surrogates, above U+10FFFF) are refused.
    ///
    /// Source: RFC 3629, section 4.
    private mutating func readMultibyte() throws(GeoJSONError) {
        let first = try take()
        let count: Int
        var allowed: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: count = 1
        case 0xE0: (count, allowed) = (2, 0xA0...0xBF)
        case 0xED: (count, allowed) = (2, 0x80...0x9F)
        case 0xE1...0xEF: count = 2
        case 0xF0: (count, allowed) = (3, 0x90...0xBF)
        case 0xF1...0xF3: count = 3
        case 0xF4: (count, allowed) = (3, 0x80...0x8F)
        default: throw notUTF8()
        }
        let hasRoom = text.count + 4 <= Self.longestText
        if hasRoom { text.append(first) }
        for _ in 0..<count {
            let byte = try take()
            guard allowed.contains(byte) else { throw notUTF8() }
            allowed = 0x80...0xBF
            if hasRoom { text.append(byte) }
        }
    }

    private mutating func readEscape() throws(GeoJSONError) {
        let byte = try take()
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): append(UnicodeScalar(byte))
        case UInt8(ascii: "b"): append("\u{8}")
        case UInt8(ascii: "f"): append("\u{C}")
        case UInt8(ascii: "n"): append("\n")
        case UInt8(ascii: "r"): append("\r")
        case UInt8(ascii: "t"): append("\t")
        case UInt8(ascii: "u"): append(try readUnicodeEscape())
        default:
            position -= 1
            throw failure("\\ followed by \(seen()) is no escape; a backslash itself is written \\\\")
        }
    }

    private mutating func readUnicodeEscape() throws(GeoJSONError) -> UnicodeScalar {
        let unit = try readHexadecimal()
        if let scalar = UnicodeScalar(unit) { return scalar }
        let half = "\\u\(String(unit, radix: 16)) is half a character: write both halves, or the character itself"
        guard unit < 0xDC00, try take() == UInt8(ascii: "\\"), try take() == UInt8(ascii: "u") else {
            throw failure(half)
        }
        let low = try readHexadecimal()
        guard (0xDC00..<0xE000).contains(low),
            let scalar = UnicodeScalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw failure(half) }
        return scalar
    }

    private mutating func readHexadecimal() throws(GeoJSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let byte = try take()
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - 0x30)
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                value = value << 4 | (UInt32(byte | 0x20) - 0x57)
            default:
                position -= 1
                throw failure("\\u needs four hexadecimal digits, not \(seen())")
            }
        }
        return value
    }
}
