/// Reads JSON one token at a time from a stream of bytes, and holds one piece of the stream at a time.
///
///     try scanner.open()
///     while try scanner.nextMember() {
///         try scanner.skipValue()
///     }
///
/// Every method that reads leaves ``line`` and ``column`` where it stopped.
package struct JSONScanner {
    /// Returns the next piece of the text, or an empty piece at its end.
    package typealias Source = () throws(JSONError) -> [UInt8]

    /// The dialect that a scanner accepts.
    package enum Dialect {
        /// RFC 8259, in UTF-8.
        case strict
        /// RFC 8259, but U+FFFD replaces bytes of a string that are not UTF-8, and half a surrogate pair.
        /// The text is one piece.
        case lenient
        /// spec.json5.org. The text is one piece, and ``JSON5Parser`` has checked that it is UTF-8.
        case json5
    }

    /// The kind of a value, given by its first byte.
    package enum Kind {
        case object, array, string, number, bool, null
    }

    /// The maximum nesting depth. Documents of the agent need less than a tenth of it.
    package static let maximumDepth = 64

    let dialect: Dialect
    /// The current piece.
    package private(set) var bytes: [UInt8]
    /// The index of the next byte in the piece.
    package var position = 0
    /// The current line, from 1.
    package var line = 1
    /// The start of the line, relative to the first byte of the piece.
    package var lineStart = 0
    /// The number of pieces after the first.
    private(set) var pieceCount = 0
    /// The range in the piece of the last string; nil if ``assembled`` contains it.
    var textRange: Range<Int>?
    /// A string with escapes or from several pieces, or the spelling of a number.
    var assembled: [UInt8] = []
    /// Whether a string had the character U+0000, which JSON writes as an escape.
    package internal(set) var hasNullCharacter = false
    /// Whether the last consumed byte is an opening bracket.
    private var isJustOpened = false
    /// The name of the document's format in error messages.
    let format: String
    private let source: Source?

    /// - Parameters:
    ///   - bytes: the first piece of the text.
    ///   - format: the name of the document's format, for error messages.
    ///   - source: returns the pieces after the first; nil if there are none.
    package init(
        _ bytes: [UInt8], dialect: Dialect = .strict, format: String = "JSON", then source: Source? = nil
    ) {
        self.bytes = bytes
        self.dialect = dialect
        self.format = format
        self.source = source
    }

    /// The column of the next byte, from 1.
    package var column: Int { position - lineStart + 1 }

    /// Returns an error at the current place.
    package func failure(_ reason: String) -> JSONError {
        JSONError(line: line, column: column, reason: reason)
    }

    // MARK: Bytes

    /// Loads the next piece if the current one is read.
    /// - Returns: false at the end of the text.
    @inline(__always)
    mutating func hasByte() throws(JSONError) -> Bool {
        if position < bytes.count { return true }
        return try refill()
    }

    private mutating func refill() throws(JSONError) -> Bool {
        guard let source else { return false }
        let next: [UInt8]
        do throws(JSONError) {
            next = try source()
        } catch {
            throw failure(error.reason)
        }
        guard !next.isEmpty else { return false }
        if let textRange { assembled = Array(bytes[textRange]) }
        textRange = nil
        lineStart -= bytes.count
        bytes = next
        position = 0
        pieceCount += 1
        return true
    }

    /// Returns the next byte without consuming it.
    mutating func peek() throws(JSONError) -> UInt8 {
        guard try hasByte() else { throw failure(Self.cutOff) }
        return bytes[position]
    }

    /// Consumes the next byte.
    mutating func take() throws(JSONError) -> UInt8 {
        let byte = try peek()
        position += 1
        return byte
    }

    /// Skips white space. Stops at the end of the text without an error.
    private mutating func skipBlanks() throws(JSONError) {
        while try hasByte() {
            switch bytes[position] {
            case 0x20, 0x09, 0x0D: position += 1
            case 0x0A:
                position += 1
                line += 1
                lineStart = position
            default: return
            }
        }
    }

    /// Returns the next byte that is not white space without consuming it.
    @inline(__always)
    package mutating func peekToken() throws(JSONError) -> UInt8 {
        if position < bytes.count, bytes[position] > 0x20 { return bytes[position] }
        try skipBlanks()
        return try peek()
    }

    /// Whether only white space is left.
    package mutating func isAtEnd() throws(JSONError) -> Bool {
        try skipBlanks()
        return position == bytes.count
    }

    /// Skips the byte order mark that some programs write before UTF-8.
    package mutating func skipByteOrderMark() throws(JSONError) {
        guard try !isAtEnd() else { return }
        guard !Self.isUTF16(bytes[position...]) else { throw notUTF8() }
        guard bytes[position] == 0xEF else { return }
        for byte: UInt8 in [0xEF, 0xBB, 0xBF] where try take() != byte { throw notUTF8() }
        lineStart = position
    }

    /// Returns whether a text has the mark of UTF-16, or begins with two characters of ASCII in it.
    static func isUTF16(_ text: some Collection<UInt8>) -> Bool {
        let head = Array(text.prefix(4))
        if head.first == 0xFF || head.first == 0xFE { return true }
        return head.count == 4 && (head[0] == 0) == (head[2] == 0) && (head[1] == 0) == (head[3] == 0)
            && (head[0] == 0) != (head[1] == 0)
    }

    static let cutOff = "the text ends too early: it was cut off"

    /// The next byte as text for an error message.
    func seen() -> String {
        guard position < bytes.count else { return "the end" }
        let byte = bytes[position]
        if (0x21..<0x7F).contains(byte) { return "\"\(Character(UnicodeScalar(byte)))\"" }
        return "the byte 0x\(String(byte, radix: 16, uppercase: true))"
    }

    func notUTF8() -> JSONError { failure("the text is not UTF-8: save it as UTF-8") }

    // MARK: Structure

    /// Returns the kind of the next value.
    package mutating func kind() throws(JSONError) -> Kind {
        switch try peekToken() {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "+"), UInt8(ascii: "."):
            throw failure("\(seen()) begins no JSON value: NaN, Infinity, +1 and .5 are not JSON")
        default: throw failure("a value was expected, not \(seen())")
        }
    }

    /// Consumes the opening bracket of the object or array that ``kind()`` returned.
    package mutating func open() {
        position += 1
        isJustOpened = true
    }

    /// Reads the key of the next member of an open object, or consumes its end.
    /// - Returns: whether there is a member; then its key is in ``string`` and its value is next.
    package mutating func nextMember() throws(JSONError) -> Bool {
        guard try nextPart("}") else { return false }
        guard try peekToken() == UInt8(ascii: "\"") else {
            throw failure("a key in quotes was expected, not \(seen())")
        }
        try readString()
        guard try peekToken() == UInt8(ascii: ":") else { throw failure("\":\" was expected, not \(seen())") }
        position += 1
        return true
    }

    /// Moves to the next element of an open array, or consumes its end.
    /// - Returns: whether there is an element, which is next.
    package mutating func nextElement() throws(JSONError) -> Bool {
        let isFirst = isJustOpened
        guard try nextPart("]") else { return false }
        if !isFirst, try peekToken() == UInt8(ascii: "]") {
            throw failure("a value was expected behind \",\", not \"]\"")
        }
        return true
    }

    /// Consumes the comma before the next part of an object or array, or the closing bracket.
    @inline(__always)
    private mutating func nextPart(_ end: Unicode.Scalar) throws(JSONError) -> Bool {
        let byte = try peekToken()
        let isFirst = isJustOpened
        isJustOpened = false
        if byte == UInt8(ascii: end) {
            position += 1
            return false
        }
        guard !isFirst else { return true }
        guard byte == UInt8(ascii: ",") else { throw failure("\",\" or \"\(end)\" was expected, not \(seen())") }
        position += 1
        return true
    }

    /// Reads `true`, `false` or `null`.
    /// - Returns: nil for `null`.
    package mutating func readLiteral() throws(JSONError) -> Bool? {
        let (word, value): (StaticString, Bool?) =
            switch try peekToken() {
            case UInt8(ascii: "t"): ("true", true)
            case UInt8(ascii: "f"): ("false", false)
            default: ("null", nil)
            }
        for index in 0..<word.utf8CodeUnitCount {
            guard try peek() == word.utf8Start[index] else { throw failure("\(word) is misspelled here") }
            position += 1
        }
        return value
    }
}
