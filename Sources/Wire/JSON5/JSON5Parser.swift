/// Reads a JSON5 document in one pass, in time and memory that its length bounds.
///
/// Stricter than the format where a document that two people read differently would do harm: a key that is there twice
/// is refused, and so are `NaN` and `Infinity`, which no JSON can carry on. Nesting is bounded.
///
/// Source: The JSON5 Data Interchange Format, version 1.0.0 (spec.json5.org).
public struct JSON5Parser: ~Copyable {
    /// Documents that people write are nested a handful of levels.
    public static let maximumDepth = 64

    let bytes: [UInt8]
    var position = 0
    private var path: [PathPart] = []

    private enum PathPart {
        case key(String)
        case index(Int)
    }

    /// Reads a whole document.
    /// - Throws: ``JSON5Error`` with line, column and path of the first mistake.
    public static func value(of bytes: [UInt8]) throws(JSON5Error) -> JSONValue {
        var parser = JSON5Parser(bytes: bytes)
        try parser.checkEncoding()
        try parser.skipBlanks()
        if parser.isAtEnd { throw parser.failure("there is nothing in it; write an object, { … }") }
        let value = try parser.value(depth: 0)
        try parser.skipBlanks()
        guard parser.isAtEnd else { throw parser.failure("there is more after the document's end") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    func byte(_ offset: Int) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(JSON5Error) -> JSONValue {
        guard let first = current else { throw failure("the document ends where a value is due") }
        switch first {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string())
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            return try number()
        default: return try word()
        }
    }

    private mutating func word() throws(JSON5Error) -> JSONValue {
        let start = position
        let word = try identifier(
            or: "a value is due here: an object, a list, a string in quotes, a number, true, false or null")
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "NaN", "Infinity": throw failure("\(word) is no number that can be used", at: start)
        default: throw failure("\"\(word.prefix(40))\" is no value; put a text in quotes", at: start)
        }
    }

    private mutating func object(depth: Int) throws(JSON5Error) -> JSONValue {
        try checkDepth(depth)
        position += 1
        var members: [String: JSONValue] = [:]
        while true {
            try skipBlanks()
            if take("}") { return .object(members) }
            let start = position
            let key = try self.key()
            path.append(.key(key))
            guard members[key] == nil else { throw failure("the key is there twice; keep one of them", at: start) }
            try skipBlanks()
            guard take(":") else { throw failure("a colon is due after the key \"\(key.prefix(40))\"") }
            try skipBlanks()
            members[key] = try value(depth: depth)
            path.removeLast()
            try skipBlanks()
            guard take(",") || current == UInt8(ascii: "}") else {
                throw failure(isAtEnd ? "the document ends inside of an object" : "a comma or } is due here")
            }
        }
    }

    private mutating func array(depth: Int) throws(JSON5Error) -> JSONValue {
        try checkDepth(depth)
        position += 1
        var items: [JSONValue] = []
        while true {
            try skipBlanks()
            if take("]") { return .array(items) }
            path.append(.index(items.count))
            items.append(try value(depth: depth))
            path.removeLast()
            try skipBlanks()
            guard take(",") || current == UInt8(ascii: "]") else {
                throw failure(isAtEnd ? "the document ends inside of a list" : "a comma or ] is due here")
            }
        }
    }

    private mutating func key() throws(JSON5Error) -> String {
        if current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") { return try string() }
        return try identifier(or: isAtEnd ? "the document ends inside of an object" : "a key is due here")
    }

    private func checkDepth(_ depth: Int) throws(JSON5Error) {
        guard depth <= Self.maximumDepth else {
            throw failure("nested deeper than \(Self.maximumDepth) levels; no configuration is")
        }
    }

    // MARK: Mistakes

    func failure(_ problem: String, at place: Int? = nil) -> JSON5Error {
        let end = min(place ?? position, bytes.count)
        let before = bytes[..<end]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        // A character is counted by its first byte.
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        return JSON5Error(line: line, column: column, path: pathText, problem: problem)
    }

    private var pathText: String {
        var text = ""
        for part in path {
            switch part {
            case .key(let key): text += (text.isEmpty ? "" : ".") + key.prefix(60)
            case .index(let index): text += "[\(index)]"
            }
        }
        return text.utf8.count <= 240 ? text : String(text.prefix(237)) + "…"
    }
}
