import Harness
import Testing
import Wire

@Suite("JSON5")
struct JSON5Tests {
    @Test(
        "What the format allows is read",
        arguments: [
            ("{}", JSONValue.object([:])),
            (
                "\u{FEFF} // a comment\n{ a: 1, /* two */ 'b': [true, false, null,], \"c\": 'it\\'s', }",
                .object(["a": .integer(1), "b": .array([.bool(true), .bool(false), .null]), "c": .string("it's")])
            ),
            (
                "[+1, -2, .5, 5., 0x1F, -0xa, 1e3, 9223372036854775807, 9223372036854775808]",
                .array([
                    .integer(1), .integer(-2), .number(0.5), .number(5), .integer(31), .integer(-10), .number(1000),
                    .integer(.max), .number(9_223_372_036_854_775_808),
                ])
            ),
            ("\"\\u00e4€\\ud83d\\ude97\\x41\\n\\\nb\"", .string("ä€🚗A\nb")),
            ("{ $größe_1: null }", .object(["$größe_1": .null])),
            ("\u{00A0}-0", .number(-0.0)),
        ])
    func good(text: String, value: JSONValue) throws {
        #expect(try JSON5Parser.value(of: Array(text.utf8)) == value)
    }

    @Test(
        "A mistake is named with its place",
        arguments: [
            ("", 1, 1, "", "nothing in it"), ("{ a: 1 ", 1, 8, "", "ends inside of an object"),
            ("{ a: { b: 1, b: 2 } }", 1, 14, "a.b", "twice"), ("{\n  a: NaN }", 2, 6, "a", "NaN is no number"),
            ("{ a: [1, -Infinity] }", 1, 10, "a[1]", "Infinity is no number"), ("{ a: yes }", 1, 6, "a", "in quotes"),
            ("{ a 1 }", 1, 5, "a", "colon"), ("{ a: 1 b: 2 }", 1, 8, "", "comma or }"),
            ("[1 2]", 1, 4, "", "comma or ]"),
            ("{} {}", 1, 4, "", "after the document's end"), ("'abc", 1, 1, "", "no end"),
            ("\"a\nb\"", 1, 1, "", "closing quote"), ("/* a", 1, 1, "", "no end"), ("012", 1, 1, "", "begin with 0"),
            ("1e999", 1, 1, "", "too large"), ("1.2.3", 1, 1, "", "no number"), ("0x", 1, 1, "", "hexadecimal"),
            ("'\\ud800'", 1, 2, "", "surrogate"), ("{ ä: 'ö' x }", 1, 10, "", "comma"),
        ])
    func bad(text: String, line: Int, column: Int, path: String, words: String) {
        do throws(JSON5Error) {
            let value = try JSON5Parser.value(of: Array(text.utf8))
            Issue.record("\(text) was read as \(value)")
        } catch {
            #expect(error.problem.contains(words), "\(error)")
            #expect((error.line, error.column) == (line, column), "\(error)")
            #expect(error.path == path)
        }
    }

    @Test("Bytes that are not UTF-8 are refused where they are")
    func encoding() {
        do throws(JSON5Error) {
            _ = try JSON5Parser.value(of: Array("{\n a: '".utf8) + [0xFF, 0xFE] + Array("' }".utf8))
            Issue.record("read")
        } catch {
            #expect((error.line, error.column) == (2, 6))
            #expect(error.problem.contains("UTF-8"))
        }
    }

    @Test("Nesting is bounded, however deep it is", arguments: ["[", "{a:", "[{a:"])
    func depth(opening: String) {
        let text = String(repeating: opening, count: 10_000)
        #expect(throws: JSON5Error.self) { try JSON5Parser.value(of: Array(text.utf8)) }
        let fine = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(throws: Never.self) { try JSON5Parser.value(of: Array(fine.utf8)) }
    }

    @Test("Any bytes are read or refused, and what is read can be written and read again")
    func anything() throws {
        var random = SplitMix64(seed: 4)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "a", "\"b\"", "'", "\\", "\\u00e9", "1", "-", ".5", "e", "0x", "null", "true",
            "//", "/*", "*/", "\n", " ", "ä", "\u{2028}", "NaN",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...12, using: &random)
            var bytes = (0..<count).flatMap { _ in Array((pieces.randomElement(using: &random) ?? "").utf8) }
            if !bytes.isEmpty, Int.random(in: 0..<4, using: &random) == 0 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? JSON5Parser.value(of: bytes)
        }
    }
}
