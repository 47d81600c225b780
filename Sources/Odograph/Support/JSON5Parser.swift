import Wire

/// Reads a JSON5 document (spec.json5.org), and says of a mistake where it stands and what would be right there.
///
/// Of two members of one name the second is refused: whoever wrote it meant one of them.
package struct JSON5Parser {
    /// Deeper nesting is refused: no document that the agent knows nests a tenth as deep.
    private static let maximumDepth = 64

    package var scanner: JSON5Scanner
    private var depth = 0

    private init(_ bytes: [UInt8]) {
        scanner = JSON5Scanner(bytes)
    }

    /// - Returns: the one value of a document.
    package static func value(of bytes: [UInt8]) throws(JSON5Error) -> JSONValue {
        var parser = JSON5Parser(bytes)
        try parser.scanner.validateEncoding()
        try parser.scanner.skipWhitespace()
        guard parser.scanner.nextByte != nil else {
            throw parser.scanner.error("the document is empty; write { key: value, … }")
        }
        let value = try parser.value()
        try parser.scanner.skipWhitespace()
        guard parser.scanner.nextByte == nil else {
            throw parser.scanner.error("text after the end of the document; remove it")
        }
        return value
    }

    private mutating func value() throws(JSON5Error) -> JSONValue {
        guard let byte = scanner.nextByte else {
            throw scanner.error("the document ends before a value; it may be truncated")
        }
        switch Unicode.Scalar(byte) {
        case "{": return try nested { (parser) throws(JSON5Error) in try parser.object() }
        case "[": return try nested { (parser) throws(JSON5Error) in try parser.array() }
        case "\"", "'": return .string(try scanner.string())
        case "0"..."9", "+", "-", ".": return try scanner.number()
        default: return try literal()
        }
    }

    private mutating func nested(
        _ read: (inout JSON5Parser) throws(JSON5Error) -> JSONValue
    ) throws(JSON5Error) -> JSONValue {
        guard depth < Self.maximumDepth else { throw scanner.error("nested deeper than \(Self.maximumDepth) levels") }
        depth += 1
        defer { depth -= 1 }
        return try read(&self)
    }

    private mutating func object() throws(JSON5Error) -> JSONValue {
        let start = scanner.position
        scanner.advance()
        var members: [String: JSONValue] = [:]
        while true {
            try scanner.skipWhitespace()
            if scanner.consume("}") { return .object(members) }
            let place = scanner.position
            let key = try scanner.key(ofObjectAt: start)
            guard members[key] == nil else {
                throw scanner.error("duplicate key \"\(key)\"; keep one of them", at: place)
            }
            try scanner.skipWhitespace()
            guard scanner.consume(":") else {
                throw scanner.error("write a colon between the key \"\(key)\" and its value")
            }
            try scanner.skipWhitespace()
            members[key] = try value()
            try scanner.skipWhitespace()
            if scanner.consume(",") { continue }
            guard scanner.consume("}") else { throw scanner.missingCloserError("}", openedAt: start) }
            return .object(members)
        }
    }

    private mutating func array() throws(JSON5Error) -> JSONValue {
        let start = scanner.position
        scanner.advance()
        var items: [JSONValue] = []
        while true {
            try scanner.skipWhitespace()
            if scanner.consume("]") { return .array(items) }
            items.append(try value())
            try scanner.skipWhitespace()
            if scanner.consume(",") { continue }
            guard scanner.consume("]") else { throw scanner.missingCloserError("]", openedAt: start) }
            return .array(items)
        }
    }

    private mutating func literal() throws(JSON5Error) -> JSONValue {
        let place = scanner.position
        switch scanner.identifier() {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "Infinity", "NaN": throw scanner.error("write a finite number", at: place)
        case "":
            throw scanner.error(
                "not a value; write a string in quotes, a number, true or false", at: place)
        // What stands here is not quoted: it may be a password without its quotes.
        default: throw scanner.error("not a value; write a string in quotes", at: place)
        }
    }
}

/// A document that is no JSON5.
package struct JSON5Error: Error, Hashable {
    /// Counts from 1.
    package let line: Int
    /// Counts characters from 1.
    package let column: Int
    /// What is wrong there, and what would be right.
    package let reason: String

    /// `line 3, column 14`.
    package var lineAndColumn: String { "line \(line), column \(column)" }
}
