/// Reads JSON a token at a time out of a stream of bytes, of which it holds one piece at a time.
///
/// Strict in what RFC 8259 says, and in UTF-8. Every method that reads leaves ``line`` and ``column`` where it stopped.
struct JSONScanner {
    /// The next piece of the text; an empty one at its end.
    typealias Source = () throws(GeoJSONError) -> [UInt8]

    /// What a value begins with.
    enum Kind: Hashable {
        case object, array, string, number, bool, null

        /// In the words of an error message.
        var inWords: String {
            switch self {
            case .object: "an object"
            case .array: "an array"
            case .string: "a string"
            case .number: "a number"
            case .bool: "true or false"
            case .null: "null"
            }
        }
    }

    /// Deeper than any fence goes; more is an attack, or no GeoJSON.
    static let maximumDepth = 64

    var bytes: [UInt8]
    var position = 0
    /// The line that is read, from 1.
    var line = 1
    /// Where the line begins, counted from the piece's first byte.
    var lineStart = 0
    /// The text that ``readString()`` has read, or a number's where it was long.
    var text: [UInt8] = []
    /// How many pieces have been taken in after the first.
    private(set) var pieceCount = 0
    private let source: Source?

    init(_ bytes: [UInt8], then source: Source? = nil) {
        self.bytes = bytes
        self.source = source
    }

    /// The byte of the line that is read next, from 1.
    var column: Int { position - lineStart + 1 }

    func failure(_ reason: String) -> GeoJSONError {
        GeoJSONError(line: line, column: column, reason: reason)
    }

    // MARK: Bytes

    /// Takes the next piece in, once the present one is read.
    /// - Returns: whether there was one.
    mutating func refill() throws(GeoJSONError) -> Bool {
        guard let source else { return false }
        let next: [UInt8]
        do throws(GeoJSONError) {
            next = try source()
        } catch {
            throw failure(error.reason)
        }
        guard !next.isEmpty else { return false }
        lineStart -= bytes.count
        bytes = next
        position = 0
        pieceCount += 1
        return true
    }

    /// The next byte, which stays where it is.
    mutating func peek() throws(GeoJSONError) -> UInt8 {
        if position == bytes.count, try !refill() { throw failure("the text ends too early: it was cut off") }
        return bytes[position]
    }

    /// Takes the next byte.
    mutating func take() throws(GeoJSONError) -> UInt8 {
        let byte = try peek()
        position += 1
        return byte
    }

    /// Passes over blanks. At the end of the text it stops without a word.
    mutating func skipBlanks() throws(GeoJSONError) {
        while true {
            while position < bytes.count {
                switch bytes[position] {
                case 0x20, 0x09, 0x0D: position += 1
                case 0x0A:
                    position += 1
                    line += 1
                    lineStart = position
                default: return
                }
            }
            guard try refill() else { return }
        }
    }

    /// The next byte that is no blank, which stays where it is.
    mutating func peekToken() throws(GeoJSONError) -> UInt8 {
        if position < bytes.count, bytes[position] > 0x20 { return bytes[position] }
        try skipBlanks()
        return try peek()
    }

    /// Whether nothing but blanks is left.
    mutating func isAtEnd() throws(GeoJSONError) -> Bool {
        try skipBlanks()
        return position == bytes.count
    }

    /// Takes a byte that has to come, after blanks.
    mutating func expect(_ byte: UInt8, _ words: String) throws(GeoJSONError) {
        guard try peekToken() == byte else { throw failure("\(words) was expected, not \(seen())") }
        position += 1
    }

    /// Passes over the mark by which some programs say that a text is UTF-8.
    mutating func skipByteOrderMark() throws(GeoJSONError) {
        guard try !isAtEnd(), bytes[position] == 0xEF else { return }
        for byte: UInt8 in [0xEF, 0xBB, 0xBF] where try take() != byte { throw notUTF8() }
        lineStart = position
    }

    /// The next byte in the words of an error message.
    func seen() -> String {
        guard position < bytes.count else { return "the end" }
        let byte = bytes[position]
        if (0x21..<0x7F).contains(byte) { return "\"\(Character(UnicodeScalar(byte)))\"" }
        return "the byte 0x\(String(byte, radix: 16, uppercase: true))"
    }

    func notUTF8() -> GeoJSONError { failure("the text is not UTF-8: save it as UTF-8") }

    // MARK: Structure

    /// What the next value is.
    mutating func kind() throws(GeoJSONError) -> Kind {
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

    /// Goes to the next member of an object whose brace has been taken.
    /// - Returns: whether there is one; then its key is in ``text`` and its value is next.
    mutating func nextMember(isFirst: Bool) throws(GeoJSONError) -> Bool {
        let byte = try peekToken()
        if byte == UInt8(ascii: "}") {
            position += 1
            return false
        }
        if !isFirst {
            guard byte == UInt8(ascii: ",") else { throw failure("\",\" or \"}\" was expected, not \(seen())") }
            position += 1
        }
        guard try peekToken() == UInt8(ascii: "\"") else {
            throw failure("a key in quotes was expected, not \(seen())")
        }
        try readString()
        try expect(UInt8(ascii: ":"), "\":\"")
        return true
    }

    /// Goes to the next element of an array whose bracket has been taken.
    mutating func nextElement(isFirst: Bool) throws(GeoJSONError) -> Bool {
        let byte = try peekToken()
        if byte == UInt8(ascii: "]") {
            position += 1
            return false
        }
        guard !isFirst else { return true }
        guard byte == UInt8(ascii: ",") else { throw failure("\",\" or \"]\" was expected, not \(seen())") }
        position += 1
        if try peekToken() == UInt8(ascii: "]") { throw failure("a value was expected behind \",\", not \"]\"") }
        return true
    }

    /// Takes `true`, `false` or `null`.
    /// - Returns: nil for `null`.
    mutating func readLiteral() throws(GeoJSONError) -> Bool? {
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
