import Wire

/// The characters of a JSON5 document, and where in it we are.
package struct JSON5Scanner {
    private let bytes: [UInt8]
    private(set) var position = 0

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The byte that is next; nil at the end.
    package var nextByte: UInt8? { position < bytes.count ? bytes[position] : nil }

    package mutating func advance(by count: Int = 1) { position += count }

    package mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard nextByte == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    // MARK: Errors

    /// - Parameter place: where the mistake is; nil: here.
    package func error(_ reason: String, at place: Int? = nil) -> JSON5Error {
        let before = bytes[..<min(place ?? position, bytes.count)]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        return JSON5Error(
            line: line, column: String(decoding: before[lineStart...], as: UTF8.self).count + 1, reason: reason)
    }

    /// Something should have ended, or gone on.
    package func missingCloserError(_ end: Unicode.Scalar, openedAt start: Int) -> JSON5Error {
        guard nextByte != nil else {
            return error(
                "the document ends inside the value of line \(error("", at: start).line); it may be truncated")
        }
        return error("write a comma or \"\(end)\" before this")
    }

    package func validateEncoding() throws(JSON5Error) {
        guard String(validating: bytes, as: UTF8.self) == nil else { return }
        // The longest prefix that is UTF-8 ends where the mistake is.
        var (low, high) = (0, bytes.count)
        while low < high {
            let middle = (low + high + 1) / 2
            if Self.isPrefixOfUTF8(bytes[..<middle]) { low = middle } else { high = middle - 1 }
        }
        let cut = (0...min(3, low)).first { String(validating: bytes[..<(low - $0)], as: UTF8.self) != nil } ?? 0
        throw error("not UTF-8; save the file in that encoding", at: low - cut)
    }

    /// Whether bytes are UTF-8, but for a character that may be cut at their end.
    private static func isPrefixOfUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
        (0...min(3, bytes.count)).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    }

    // MARK: White space

    package mutating func skipWhitespace() throws(JSON5Error) {
        while let byte = nextByte {
            switch byte {
            case 0x09...0x0D, 0x20: position += 1
            case UInt8(ascii: "/"): try skipComment()
            // No-break space, line and paragraph separator, byte order mark.
            case 0xC2 where starts(with: "\u{A0}"): position += 2
            case 0xE2 where starts(with: "\u{2028}") || starts(with: "\u{2029}"): position += 3
            case 0xEF where starts(with: "\u{FEFF}"): position += 3
            default: return
            }
        }
    }

    private mutating func skipComment() throws(JSON5Error) {
        if starts(with: "//") {
            position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            return
        }
        guard starts(with: "/*") else { throw error("a comment starts with // or /*") }
        let start = position
        position += 2
        while position < bytes.count, !starts(with: "*/") { position += 1 }
        guard position < bytes.count else { throw error("unterminated comment; write */ after it", at: start) }
        position += 2
    }

    // MARK: Keys

    package mutating func key(ofObjectAt start: Int) throws(JSON5Error) -> String {
        if nextByte == UInt8(ascii: "\"") || nextByte == UInt8(ascii: "'") { return try string() }
        let key = identifier()
        if !key.isEmpty { return key }
        throw nextByte == nil
            ? missingCloserError("}", openedAt: start) : error("write a key here: a name, or a string in quotes")
    }

    /// A run of letters, digits, `_`, `$` and whatever lies beyond ASCII; empty where there is none.
    package mutating func identifier() -> String {
        let start = position
        while let byte = nextByte {
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "_", "$", "\u{80}"..."\u{FF}": position += 1
            case "0"..."9" where position > start: position += 1
            default: return String(decoding: bytes[start..<position], as: UTF8.self)
            }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    // MARK: Numbers

    package mutating func number() throws(JSON5Error) -> JSONValue {
        let start = position
        while let byte = nextByte, Self.isNumberByte(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        if digits.lowercased().hasPrefix("0x"), digits.dropFirst(2).allSatisfy(\.isHexDigit),
            let value = Int64(digits.dropFirst(2), radix: 16)
        {
            return .integer(isNegative ? -value : value)
        }
        guard Self.isDecimal(digits), let value = Double((isNegative ? "-" : "") + digits), value.isFinite else {
            throw error("not a number, or too large; write a string in quotes", at: start)
        }
        if let integer = Int64((isNegative ? "-" : "") + digits) ?? Int64(exactly: value) { return .integer(integer) }
        return .number(value)
    }

    private static func isNumberByte(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "0"..."9", "a"..."z", "A"..."Z", "+", "-", ".", "_": true
        default: false
        }
    }

    /// `1`, `1.5`, `.5`, `5.`, each with an exponent or without; no zero leads.
    private static func isDecimal(_ digits: Substring) -> Bool {
        let mantissa = digits.prefix { $0 != "e" && $0 != "E" }
        guard mantissa.contains(where: \.isNumber), mantissa.allSatisfy({ $0.isNumber || $0 == "." }) else {
            return false
        }
        return !(mantissa.count > 1 && mantissa.hasPrefix("0") && !mantissa.hasPrefix("0."))
    }
}
