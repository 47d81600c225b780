import Wire

/// Reads a JSON5 document (spec.json5.org), and says of a mistake where it stands and what would be right there.
///
/// Of two members of one name the second is refused: whoever wrote it meant one of them.
struct JSON5Parser {
    /// Deeper nesting is refused: no document that the agent knows nests a tenth as deep.
    private static let deepestNesting = 64

    var text: JSON5Text
    private var depth = 0

    private init(_ bytes: [UInt8]) {
        text = JSON5Text(bytes)
    }

    /// - Returns: the one value of a document.
    static func value(of bytes: [UInt8]) throws(JSON5Error) -> JSONValue {
        var parser = JSON5Parser(bytes)
        try parser.text.checkEncoding()
        try parser.text.skipSpace()
        guard parser.text.next != nil else { throw parser.text.error("there is nothing here; write { key: value, … }") }
        let value = try parser.value()
        try parser.text.skipSpace()
        guard parser.text.next == nil else { throw parser.text.error("the document ends before this; remove it") }
        return value
    }

    private mutating func value() throws(JSON5Error) -> JSONValue {
        guard let byte = text.next else {
            throw text.error("the document ends where a value should be; it may have been cut")
        }
        switch Unicode.Scalar(byte) {
        case "{": return try nested { (parser) throws(JSON5Error) in try parser.object() }
        case "[": return try nested { (parser) throws(JSON5Error) in try parser.array() }
        case "\"", "'": return .string(try text.string())
        case "0"..."9", "+", "-", ".": return try text.number()
        default: return try word()
        }
    }

    private mutating func nested(
        _ read: (inout JSON5Parser) throws(JSON5Error) -> JSONValue
    ) throws(JSON5Error) -> JSONValue {
        guard depth < Self.deepestNesting else { throw text.error("nested deeper than \(Self.deepestNesting) levels") }
        depth += 1
        defer { depth -= 1 }
        return try read(&self)
    }

    private mutating func object() throws(JSON5Error) -> JSONValue {
        let start = text.position
        text.advance()
        var members: [String: JSONValue] = [:]
        while true {
            try text.skipSpace()
            if text.take("}") { return .object(members) }
            let place = text.position
            let key = try text.key(ofObjectAt: start)
            guard members[key] == nil else {
                throw text.error("the key \"\(key)\" stands here a second time; keep one of them", at: place)
            }
            try text.skipSpace()
            guard text.take(":") else { throw text.error("write a colon between the key \"\(key)\" and its value") }
            try text.skipSpace()
            members[key] = try value()
            try text.skipSpace()
            if text.take(",") { continue }
            guard text.take("}") else { throw text.missing("}", since: start) }
            return .object(members)
        }
    }

    private mutating func array() throws(JSON5Error) -> JSONValue {
        let start = text.position
        text.advance()
        var items: [JSONValue] = []
        while true {
            try text.skipSpace()
            if text.take("]") { return .array(items) }
            items.append(try value())
            try text.skipSpace()
            if text.take(",") { continue }
            guard text.take("]") else { throw text.missing("]", since: start) }
            return .array(items)
        }
    }

    private mutating func word() throws(JSON5Error) -> JSONValue {
        let place = text.position
        switch text.identifier() {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "Infinity", "NaN": throw text.error("write a number that is finite", at: place)
        case "":
            throw text.error("no value begins like this; write a string in quotes, a number, true or false", at: place)
        // What stands here is not quoted: it may be a password without its quotes.
        default: throw text.error("this is no value; if it is a string, put it in quotes", at: place)
        }
    }
}

/// A document that is no JSON5.
struct JSON5Error: Error, Hashable {
    /// Counts from 1.
    let line: Int
    /// Counts characters from 1.
    let column: Int
    /// What is wrong there, and what would be right.
    let reason: String

    /// `line 3, column 14`.
    var place: String { "line \(line), column \(column)" }
}
