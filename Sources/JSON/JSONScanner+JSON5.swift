extension JSONScanner {
    /// The byte that is next; nil at the end.
    var nextByte: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Consumes a character if it is next.
    mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard nextByte == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    func starts(with text: [UInt8]) -> Bool { bytes[position...].starts(with: text) }

    /// Consumes the next bytes that satisfy a condition.
    /// - Parameter isPart: gets a byte and whether it is the first.
    mutating func run(_ isPart: (_ byte: UInt8, _ isFirst: Bool) -> Bool) -> String {
        let start = position
        while let byte = nextByte, isPart(byte, position == start) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Consumes letters, digits, `_`, `$` and characters beyond ASCII; the result can be empty.
    mutating func identifier() -> String {
        run { byte, isFirst in
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "_", "$", "\u{80}"..."\u{FF}": true
            case "0"..."9": !isFirst
            default: false
            }
        }
    }

    /// Returns an error whose column counts characters.
    /// - Parameter place: the place of the mistake; nil: the present one.
    func json5Failure(_ reason: String, at place: Int? = nil) -> JSONError {
        let before = bytes[..<min(place ?? position, bytes.count)]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        return JSONError(
            line: line, column: String(decoding: before[lineStart...], as: UTF8.self).count + 1, reason: reason)
    }

    func validateEncoding() throws(JSONError) {
        // UTF-16 without a mark is also UTF-8, with a U+0000 before or after each character.
        let isUTF16 = Self.isUTF16(bytes)
        guard isUTF16 || String(validating: bytes, as: UTF8.self) == nil else { return }
        var (parser, rest, place) = (UTF8.ForwardParser(), bytes.makeIterator(), 0)
        while case .valid(let character) = parser.parseScalar(from: &rest) { place += character.count }
        throw json5Failure("not UTF-8; save the file in that encoding", at: isUTF16 ? 0 : place)
    }

    /// Skips white space and comments.
    mutating func skipWhitespace() throws(JSONError) {
        while let byte = nextByte {
            switch byte {
            case 0x09...0x0D, 0x20: position += 1
            case UInt8(ascii: "/"): try skipComment()
            // No-break space, line and paragraph separator, byte order mark.
            case 0xC2 where starts(with: [0xC2, 0xA0]): position += 2
            case 0xE2 where starts(with: [0xE2, 0x80, 0xA8]) || starts(with: [0xE2, 0x80, 0xA9]): position += 3
            case 0xEF where starts(with: [0xEF, 0xBB, 0xBF]): position += 3
            default: return
            }
        }
    }

    private mutating func skipComment() throws(JSONError) {
        let start = position
        position += 1
        if consume("/") {
            position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            return
        }
        guard consume("*") else { throw json5Failure("a comment starts with // or /*", at: start) }
        while let byte = nextByte {
            position += 1
            if byte == UInt8(ascii: "*"), consume("/") { return }
        }
        throw json5Failure("unterminated comment; write */ after it", at: start)
    }
}
