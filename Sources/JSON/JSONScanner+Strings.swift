extension JSONScanner {
    /// The maximum length of a string of strict JSON, bytes, because the text can be an endless stream. The rest of a
    /// longer string is skipped.
    private static let maximumTextBytes = 1 << 16

    private var textLimit: Int { dialect == .json5 ? .max / 2 : Self.maximumTextBytes }

    /// The bytes of the string, or of the spelling of the number, that was read last.
    package var text: ArraySlice<UInt8> { textRange.map { bytes[$0] } ?? assembled[...] }

    /// The string, or the spelling of the number, that was read last.
    package var string: String { String(decoding: text, as: UTF8.self) }

    /// Calls a function with the bytes of the string that was read last.
    ///
    /// It is mutating so that the caller does not copy the scanner, and not generic because a generic function of
    /// another module is slow: a report of gpsd has thirty keys.
    package mutating func withText(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard let textRange else { return assembled.withUnsafeBufferPointer(body) }
        bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[textRange])) }
    }

    /// Reads a string, whose quote is next, into ``text``.
    package mutating func readString() throws(JSONError) {
        let quote = bytes[position]
        position += 1
        let start = position
        skipPlain(until: quote)
        if position < bytes.count, bytes[position] == quote {
            textRange = start..<min(position, start + textLimit)
            position += 1
        } else {
            try readRest(ofStringAt: start, quote)
        }
    }

    /// Reads the rest of a string that has escapes or continues in the next piece.
    private mutating func readRest(ofStringAt start: Int, _ quote: UInt8) throws(JSONError) {
        textRange = nil
        assembled.removeAll(keepingCapacity: true)
        append(start, position)
        while true {
            guard try hasByte() else {
                throw failure(
                    Self.cutOff, json5: "unterminated string; write the closing quote", at: start - 1)
            }
            let byte = bytes[position]
            switch byte {
            case quote:
                position += 1
                return
            case UInt8(ascii: "\\"):
                position += 1
                try readEscape()
            case 0x0A where dialect == .json5, 0x0D where dialect == .json5:
                throw json5Failure("unterminated string in this line; write the closing quote", at: start - 1)
            case 0x80... where dialect == .strict: try readMultibyte()
            case ..<0x20 where dialect != .json5:
                throw failure("a control character in a string: write it as an escape, \\n or \\u0009")
            default:
                let start = position
                position += 1
                skipPlain(until: quote)
                append(start, position)
            }
        }
    }

    /// Skips the bytes without special meaning, in this piece.
    @inline(__always)
    private mutating func skipPlain(until quote: UInt8) {
        // The distance from the first plain byte to the last. In strict JSON, bytes beyond ASCII are validated.
        let span: UInt8 = dialect == .strict ? 0x7F - 0x20 : 0xFF - 0x20
        var end = position
        bytes.withUnsafeBufferPointer { bytes in
            while end < bytes.count {
                let byte = bytes[end]
                if byte == quote || byte == UInt8(ascii: "\\") || byte &- 0x20 > span { break }
                end += 1
            }
        }
        position = end
    }

    private mutating func append(_ start: Int, _ end: Int) {
        let room = textLimit - assembled.count
        if end > start, room > 0 { assembled.append(contentsOf: bytes[start..<min(end, start + room)]) }
    }

    private mutating func append(_ scalar: UnicodeScalar) {
        guard assembled.count <= textLimit - 4 else { return }
        assembled.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// Reads a character of two to four bytes. Overlong forms, surrogates and characters above U+10FFFF are errors.
    ///
    /// Source: RFC 3629, section 4.
    private mutating func readMultibyte() throws(JSONError) {
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
        let hasRoom = assembled.count <= textLimit - 4
        if hasRoom { assembled.append(first) }
        for _ in 0..<count {
            let byte = try take()
            guard allowed.contains(byte) else { throw notUTF8() }
            allowed = 0x80...0xBF
            if hasRoom { assembled.append(byte) }
        }
    }

    // MARK: Escapes

    /// Reads an escape after its backslash.
    private mutating func readEscape() throws(JSONError) {
        let start = position - 1
        guard try hasByte() else {
            throw failure(
                Self.cutOff, json5: "the document ends within a string; it may be truncated", at: start)
        }
        let byte = bytes[position]
        position += 1
        switch Unicode.Scalar(byte) {
        case "\"", "\\", "/": append(Unicode.Scalar(byte))
        case "b": append("\u{8}")
        case "f": append("\u{C}")
        case "n": append("\n")
        case "r": append("\r")
        case "t": append("\t")
        case "u": try readUnicodeEscape(since: start)
        case _ where dialect == .json5: try readJSON5Escape(byte, since: start)
        default:
            position -= 1
            throw failure("\\ followed by \(seen()) is no escape; a backslash itself is written \\\\")
        }
    }

    /// Reads the digits after `\u`, and the second escape of a surrogate pair.
    private mutating func readUnicodeEscape(since start: Int) throws(JSONError) {
        let unit = try readHexadecimal(digits: 4, since: start)
        if unit == 0 { hasNullCharacter = true }
        if let scalar = UnicodeScalar(unit) { return append(scalar) }
        let second = position
        if UTF16.isLeadSurrogate(unit), try take("\\", since: start), try take("u", since: start) {
            let trail = try readHexadecimal(digits: 4, since: start)
            if UTF16.isTrailSurrogate(trail) {
                return append(UTF16.decode(UTF16.EncodedScalar([unit, trail])))
            }
        }
        guard dialect == .lenient else {
            throw failure(
                "\\u\(String(unit, radix: 16)) is half a character: write both halves, or the character itself",
                json5: Self.halfAPair, at: start)
        }
        position = second
        append("\u{FFFD}")
    }

    private static let halfAPair = "incomplete surrogate pair; write both halves"

    /// Consumes the next byte.
    /// - Returns: whether it is the given character.
    private mutating func take(_ character: Unicode.Scalar, since start: Int) throws(JSONError) -> Bool {
        if dialect == .json5, try !hasByte() { throw json5Failure(Self.halfAPair, at: start) }
        return try take() == UInt8(ascii: character)
    }

    private mutating func readHexadecimal(digits: Int, since start: Int) throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<digits {
            guard try hasByte(), let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue else {
                throw failure(
                    position == bytes.count ? Self.cutOff : "\\u needs four hexadecimal digits, not \(seen())",
                    json5: "this escape needs \(digits) hexadecimal digits", at: start)
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    /// Reads an escape that only JSON5 has, after its first byte.
    private mutating func readJSON5Escape(_ byte: UInt8, since start: Int) throws(JSONError) {
        switch Unicode.Scalar(byte) {
        case "v": append("\u{B}")
        case "0": append("\u{0}")
        case "x": append(UnicodeScalar(UInt8(truncatingIfNeeded: try readHexadecimal(digits: 2, since: start))))
        case "1"..."9":
            throw json5Failure("invalid escape with a digit from 1 to 9; write \\u and four digits", at: start)
        // A line continuation: the line end is not part of the string.
        case "\n": break
        case "\r": _ = consume("\n")
        case "\u{E2}" where starts(with: [0x80, 0xA8]) || starts(with: [0x80, 0xA9]): position += 2
        // Any other character has no special meaning. The rest of its bytes is plain.
        default: assembled.append(byte)
        }
    }

    /// Returns an error with the message of the dialect: for JSON5 at a given place, otherwise at the current one.
    private func failure(_ reason: String, json5: String, at place: Int) -> JSONError {
        dialect == .json5 ? json5Failure(json5, at: place) : failure(reason)
    }
}
