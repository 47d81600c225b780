/// Parses a JSON5 document (spec.json5.org). An error contains the place of the mistake and the remedy.
///
/// A duplicate key is an error.
package struct JSON5Parser {
    private var scanner: JSONScanner
    /// Whether a text can have U+0000.
    private var allowsNull = true

    /// Returns the value of a document whose texts go into messages. They do not have U+0000, which some databases
    /// cannot store.
    package static func document(of bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var parser = JSON5Parser(scanner: JSONScanner(bytes, dialect: .json5), allowsNull: false)
        return try parser.document()
    }

    /// Returns the value of a document.
    package static func value(of bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var parser = JSON5Parser(scanner: JSONScanner(bytes, dialect: .json5))
        return try parser.document()
    }

    private mutating func document() throws(JSONError) -> JSONValue {
        try scanner.validateEncoding()
        try scanner.skipWhitespace()
        guard scanner.nextByte != nil else {
            throw scanner.json5Failure("the document is empty; write { key: value, … }")
        }
        let value = try value(depth: 0)
        try scanner.skipWhitespace()
        guard scanner.nextByte == nil else {
            throw scanner.json5Failure("text after the end of the document; remove it")
        }
        return value
    }

    /// Reads a string, whose quote is next.
    private mutating func string() throws(JSONError) -> String {
        let place = scanner.position
        try scanner.readString()
        guard allowsNull || !scanner.text.contains(0) else {
            throw scanner.json5Failure("a text with the character U+0000; remove it", at: place)
        }
        return scanner.string
    }

    /// - Parameter depth: the number of arrays and objects around the value.
    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard let byte = scanner.nextByte else {
            throw scanner.json5Failure("the document ends before a value; it may be truncated")
        }
        switch Unicode.Scalar(byte) {
        case "{", "[":
            guard depth < JSONScanner.maximumDepth else {
                throw scanner.json5Failure("nested deeper than \(JSONScanner.maximumDepth) levels")
            }
            return byte == UInt8(ascii: "{") ? try object(depth: depth + 1) : try array(depth: depth + 1)
        case "\"", "'":
            return .string(try string())
        case "0"..."9", "+", "-", ".": return try number()
        default: return try literal()
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        let start = scanner.position
        scanner.position += 1
        var members: [String: JSONValue] = [:]
        while try hasPart("}") {
            let place = scanner.position
            let key = try key(ofObjectAt: start)
            guard members[key] == nil else {
                throw scanner.json5Failure("duplicate key \"\(key)\"; keep one of them", at: place)
            }
            try scanner.skipWhitespace()
            guard scanner.consume(":") else {
                throw scanner.json5Failure("write a colon between the key \"\(key)\" and its value")
            }
            try scanner.skipWhitespace()
            members[key] = try value(depth: depth)
            if try !hasComma(before: "}", openedAt: start) { break }
        }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        let start = scanner.position
        scanner.position += 1
        var items: [JSONValue] = []
        while try hasPart("]") {
            items.append(try value(depth: depth))
            if try !hasComma(before: "]", openedAt: start) { break }
        }
        return .array(items)
    }

    /// Consumes the closing bracket of an object or array if it is next.
    private mutating func hasPart(_ end: Unicode.Scalar) throws(JSONError) -> Bool {
        try scanner.skipWhitespace()
        return !scanner.consume(end)
    }

    /// Consumes the comma or the closing bracket after a part of an object or array.
    private mutating func hasComma(before end: Unicode.Scalar, openedAt start: Int) throws(JSONError) -> Bool {
        try scanner.skipWhitespace()
        if scanner.consume(",") { return true }
        guard scanner.consume(end) else { throw missingCloserError(end, openedAt: start) }
        return false
    }

    private func missingCloserError(_ end: Unicode.Scalar, openedAt start: Int) -> JSONError {
        guard scanner.nextByte == nil else { return scanner.json5Failure("write a comma or \"\(end)\" before this") }
        let line = scanner.json5Failure("", at: start).line
        return scanner.json5Failure(
            "the document ends inside the value of line \(line); it may be truncated")
    }

    private mutating func key(ofObjectAt start: Int) throws(JSONError) -> String {
        if scanner.nextByte == UInt8(ascii: "\"") || scanner.nextByte == UInt8(ascii: "'") {
            return try string()
        }
        let key = scanner.identifier()
        if !key.isEmpty { return key }
        throw scanner.nextByte == nil
            ? missingCloserError("}", openedAt: start)
            : scanner.json5Failure("write a key here: a name, or a string in quotes")
    }

    private mutating func literal() throws(JSONError) -> JSONValue {
        let place = scanner.position
        switch scanner.identifier() {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "Infinity", "NaN": throw scanner.json5Failure("write a finite number", at: place)
        case "":
            throw scanner.json5Failure(
                "not a value; write a string in quotes, a number, true or false", at: place)
        // The message does not quote the text: it can be a password without quotes.
        default: throw scanner.json5Failure("not a value; write a string in quotes", at: place)
        }
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = scanner.position
        let text = scanner.run { byte, _ in
            switch Unicode.Scalar(byte) {
            case "0"..."9", "a"..."z", "A"..."Z", "+", "-", ".", "_": true
            default: false
            }
        }
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        if digits.lowercased().hasPrefix("0x"), digits.dropFirst(2).allSatisfy(\.isHexDigit),
            let value = Int64(digits.dropFirst(2), radix: 16)
        {
            return .integer(isNegative ? -value : value)
        }
        let decimal = (isNegative ? "-" : "") + digits
        guard Self.isDecimal(digits), let value = Double(decimal), value.isFinite else {
            throw scanner.json5Failure(
                "not a number, or too large; write a string in quotes", at: start)
        }
        if let integer = Int64(decimal) ?? Int64(exactly: value) { return .integer(integer) }
        return .number(value)
    }

    /// Parses `1`, `1.5`, `.5` or `5.`, with or without an exponent. A leading zero is an error.
    private static func isDecimal(_ digits: Substring) -> Bool {
        let mantissa = digits.prefix { $0 != "e" && $0 != "E" }
        guard mantissa.contains(where: \.isNumber), mantissa.allSatisfy({ $0.isNumber || $0 == "." }) else {
            return false
        }
        return !(mantissa.count > 1 && mantissa.hasPrefix("0") && !mantissa.hasPrefix("0."))
    }
}
