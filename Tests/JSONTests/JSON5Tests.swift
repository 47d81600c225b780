import OdographHarness
import OdographJSON
import Testing

@Suite("JSON5 documents")
struct JSON5Tests {
    private static func value(_ text: String) throws(JSONError) -> JSONValue {
        try JSON5Parser.value(of: Array(text.utf8))
    }

    @Test(
        "Documents that the specification allows are read",
        arguments: [
            ("null", JSONValue.null), ("true", .bool(true)), ("[]", .array([])), ("{}", .object([:])),
            ("{a: 1,}", .object(["a": .integer(1)])), ("[1, 2,]", .array([.integer(1), .integer(2)])),
            ("{'a b': \"c\", $_ä: 'd'}", .object(["a b": .string("c"), "$_ä": .string("d")])),
            ("// one\n/* two */ 1 // three", .integer(1)), ("\u{FEFF}\u{A0}\t1\u{2028}", .integer(1)),
            ("+1", .integer(1)), ("-1", .integer(-1)), (".5", .number(0.5)), ("5.", .integer(5)),
            ("1e3", .integer(1000)),
            ("-0.25e-1", .number(-0.025)), ("0x1F", .integer(31)), ("-0x1f", .integer(-31)), ("0", .integer(0)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("\"\"", .string("")),
            ("'it\"s'", .string("it\"s")), ("\"\\b\\f\\n\\r\\t\\v\\0\"", .string("\u{08}\u{0C}\n\r\t\u{0B}\u{00}")),
            ("\"\\x41\\u00e9\\ud83d\\ude9a\\'\\\"\\\\\\/\\a\"", .string("Aé🚚'\"\\/a")),
            ("'one \\\ntwo \\\r\nthree'", .string("one two three")), ("'\\é'", .string("é")),
        ])
    func good(text: String, value: JSONValue) throws {
        #expect(try Self.value(text) == value)
    }

    @Test(
        "A mistake is refused with its line, its column and a remedy",
        arguments: [
            ("", 1, 1, "the document is empty"), ("  // x", 1, 7, "the document is empty"),
            ("{\n a: 1\n b: 2 }", 3, 2, "write a comma or \"}\" before this"),
            ("[1 2]", 1, 4, "write a comma or \"]\" before this"), ("{a 1}", 1, 4, "write a colon"),
            ("{a: }", 1, 5, "not a value"), ("{,}", 1, 2, "write a key here"),
            ("{a: 1", 1, 6, "it may be truncated"), ("{a:", 1, 4, "it may be truncated"),
            ("{a: [1,", 1, 8, "it may be truncated"), ("{", 1, 2, "it may be truncated"),
            ("{a: \"x}", 1, 5, "unterminated string"), ("'x\ny'", 1, 1, "unterminated string in this line"),
            ("{} {}", 1, 4, "text after the end"), ("{a: 1, a: 2}", 1, 8, "duplicate key"),
            ("{a: yes}", 1, 5, "write a string in quotes"), ("NaN", 1, 1, "finite"),
            ("-Infinity", 1, 1, "not a number"),
            ("1e400", 1, 1, "too large"), ("01", 1, 1, "not a number"), ("1.2.3", 1, 1, "not a number"),
            ("+", 1, 1, "not a number"),
            (".", 1, 1, "not a number"), ("--1", 1, 1, "not a number"), ("0x", 1, 1, "not a number"),
            ("/* x", 1, 1, "unterminated comment"), ("/ 1", 1, 1, "a comment starts"),
            ("'\\x4'", 1, 2, "2 hexadecimal digits"), ("'\\ud800'", 1, 2, "incomplete surrogate pair"),
            ("'\\udc00'", 1, 2, "incomplete surrogate pair"), ("'\\1'", 1, 2, "digit from 1 to 9"),
            ("'ä\\", 1, 3, "may be truncated"),
        ])
    func bad(text: String, line: Int, column: Int, reason: String) {
        let error = #expect(throws: JSONError.self) { try Self.value(text) }
        #expect(error?.line == line)
        #expect(error?.column == column)
        #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test(
        "A document whose texts go into messages has no character U+0000, in any spelling",
        arguments: ["{a: '\\0'}", "{a: '\\x00'}", "{a: ['b\\u0000']}", "{'\\0': 1}", "{a: 'b\u{0}'}"])
    func nullCharacter(text: String) throws {
        let error = #expect(throws: JSONError.self) { try JSON5Parser.document(of: Array(text.utf8)) }
        #expect(error?.reason.contains("U+0000") == true, "\(String(describing: error))")
        #expect(try JSON5Parser.document(of: Array("{a: '0', b: 0}".utf8)) == Self.value("{a: '0', b: 0}"))
    }

    @Test("Bytes that are not UTF-8 are refused with their position", arguments: [0, 1, 5, 100])
    func encoding(before: Int) {
        var bytes = [UInt8](repeating: UInt8(ascii: " "), count: before)
        bytes += [0xE4] + Array("\", 1 }".utf8)
        let error = #expect(throws: JSONError.self) { try JSON5Parser.value(of: bytes) }
        #expect(error?.column == before + 1)
    }

    @Test("UTF-16 is refused as such, with and without a mark", arguments: [[], [0xFF, 0xFE]] as [[UInt8]])
    func utf16(mark: [UInt8]) {
        let text = Array("{ a: 1 }".utf8)
        let little = text.flatMap { byte -> [UInt8] in [byte, 0] }
        let big = text.flatMap { byte -> [UInt8] in [0, byte] }
        for bytes in [mark + little, mark.reversed() + big] {
            let error = #expect(throws: JSONError.self) { try JSON5Parser.value(of: bytes) }
            #expect(error?.reason == "not UTF-8; save the file in that encoding" && error?.column == 1)
        }
    }

    @Test("The depth of any nesting is bounded", arguments: ["[", "{a:", "[{a:"])
    func deep(opening: String) {
        #expect(throws: JSONError.self) { try Self.value(String(repeating: opening, count: 100_000)) }
    }

    @Test("No input crashes the parser, and every value reads the same after it was written as JSON")
    func fuzz() throws {
        var random = SplitMix64(seed: 2026)
        let pieces =
            [
                "{", "}", "[", "]", ":", ",", "a", "'", "\"", "\\", "\\u12", "\\ud83d\\ude9a", "1", "-", ".", "e9",
                "0x", "/*", "*/",
                "//", "\n", "\r", " ", "true", "null", "NaN", "\u{2028}", "é", "\u{0}",
            ].map { Array($0.utf8) } + [[0xFF], [0xC3]]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...12, using: &random)
            let bytes = (0..<count).flatMap { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }
            guard let value = try? JSON5Parser.value(of: bytes) else { continue }
            #expect(try JSON5Parser.value(of: JSONCoder.bytes(of: value)) == value)
        }
    }
}
