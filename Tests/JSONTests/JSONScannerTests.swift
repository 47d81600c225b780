import OdographHarness
import OdographJSON
import Testing

@Suite("Scanning JSON")
struct JSONScannerTests {
    /// Returns the canonical form of the one value of a text that comes in pieces.
    private static func canonical(
        _ text: [UInt8], dialect: JSONScanner.Dialect = .strict, piecesOf count: Int = .max
    ) throws(JSONError) -> String {
        var rest = text.dropFirst(count)
        var scanner = JSONScanner(Array(text.prefix(count)), dialect: dialect) { () throws(JSONError) in
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        var reader = CanonicalJSONReader(maximumBytes: 1 << 20, sizeReason: "too long")
        let bytes = try reader.readValue(&scanner)
        guard try scanner.isAtEnd() else { throw scanner.failure("more follows") }
        if let reason = reader.rejectionReason { throw JSONError(reason: reason) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the error of a scanner that skips the one value of a text.
    private static func errorOfSkipping(_ text: String, dialect: JSONScanner.Dialect = .strict) -> JSONError? {
        var scanner = JSONScanner(Array(text.utf8), dialect: dialect)
        do throws(JSONError) {
            try scanner.skipValue()
            return try scanner.isAtEnd() ? nil : scanner.failure("more follows")
        } catch {
            return error
        }
    }

    @Test(
        "What RFC 8259 allows is read",
        arguments: [
            (" null ", "null"), ("[true,false]", "[true,false]"), ("{}", "{}"), ("[ ]", "[]"),
            ("{\"b\" : 1 , \"a\":[ {} ]}", "{\"a\":[{}],\"b\":1}"), ("-0.50e+10", "-0.50e+10"), ("0", "0"),
            (#""\"\\\/\b\f\n\r\t\u00e9\uD83D\ude9a""#, "\"\\\"\\\\/\\u0008\\u000c\\u000a\\u000d\\u0009é🚚\""),
            ("\"\u{7F}é€🚚\"", "\"\u{7F}é€🚚\""), ("\"\\u0000\"", "\"\\u0000\""),
        ])
    func good(text: String, canonical: String) throws {
        for count in [1, 2, 3, 5, .max] {
            #expect(try Self.canonical(Array(text.utf8), piecesOf: count) == canonical)
        }
        #expect(try Self.canonical(Array(text.utf8), dialect: .lenient) == canonical)
        #expect(Self.errorOfSkipping(text) == nil)
    }

    @Test(
        "A mistake is refused with its place",
        arguments: [
            ("", 1, 1, "cut off"), ("[1,\n 2", 2, 3, "cut off"), ("[1 2]", 1, 4, "\",\" or \"]\""),
            ("[1,]", 1, 4, "behind \",\""), ("[,1]", 1, 2, "a value was expected, not \",\""), ("[1]]", 1, 4, "more"),
            ("{\"a\" 1}", 1, 6, "\":\" was expected, not \"1\""), ("{\"a\":1 \"b\":2}", 1, 8, "\",\" or \"}\""),
            ("{\"a\":1,}", 1, 8, "a key in quotes"), ("{a:1}", 1, 2, "a key in quotes"), ("'a'", 1, 1, "a value"),
            ("+1", 1, 1, "+1 and .5 are not JSON"), ("NaN", 1, 1, "NaN"), ("01", 1, 2, "a zero before it"),
            ("1.", 1, 3, "cut off"), ("[1.]", 1, 4, "a digit was expected, not \"]\""),
            ("1e5x", 1, 4, "does not belong"),
            ("-", 1, 2, "cut off"), ("[--1]", 1, 3, "a digit"), ("trUe", 1, 3, "true is misspelled"),
            ("\"\\x\"", 1, 3, "\\ followed by \"x\" is no escape"), ("\"\\u12g4\"", 1, 6, "four hexadecimal digits"),
            ("\"\\ud800\"", 1, 9, "\\ud800 is half a character"), ("\"\\udc00\"", 1, 8, "half a character"),
            ("\"a\tb\"", 1, 3, "a control character"), ("\"abc", 1, 5, "cut off"), ("\"ab\\", 1, 5, "cut off"),
            ("\u{FEFF}1", 1, 1, "the byte 0xEF"), ("[1,\n\n  2;]", 3, 4, "\",\" or \"]\""),
        ])
    func bad(text: String, line: Int, column: Int, reason: String) {
        let error = Self.errorOfSkipping(text)
        #expect(error?.line == line && error?.column == column, "\(String(describing: error))")
        #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
        for count in [1, 2, 3] {
            let other = #expect(throws: JSONError.self) { try Self.canonical(Array(text.utf8), piecesOf: count) }
            #expect(other == error)
        }
    }

    @Test("Nesting is bounded at one depth")
    func depth() {
        for (opening, closing) in [("[", "]"), ("{\"a\":[", "]}")] {
            let levels = JSONScanner.maximumDepth / (opening.utf8.count > 1 ? 2 : 1)
            let whole = String(repeating: opening, count: levels) + String(repeating: closing, count: levels)
            #expect(Self.errorOfSkipping(whole) == nil)
            let deep = Self.errorOfSkipping(String(repeating: opening, count: levels + 1))
            #expect(deep?.reason == "nested deeper than 64 levels: this is no JSON")
        }
    }

    @Test("Strings of a lenient text hold U+FFFD for what is no character")
    func lenient() throws {
        for (escapes, expected) in [
            (#"\ud800"#, "\u{FFFD}"), (#"\ud800x"#, "\u{FFFD}x"), (#"\ud800\n"#, "\u{FFFD}\\u000a"),
            (#"\ud800\ud83d\ude9a"#, "\u{FFFD}🚚"), (#"\ud800\u0041"#, "\u{FFFD}A"),
            (#"\udc00\ud800"#, "\u{FFFD}\u{FFFD}"),
        ] {
            #expect(try Self.canonical(Array("\"\(escapes)\"".utf8), dialect: .lenient) == "\"\(expected)\"")
        }
        let bytes = [UInt8(ascii: "\""), 0xFF, UInt8(ascii: "a"), UInt8(ascii: "\"")]
        #expect(try Self.canonical(bytes, dialect: .lenient) == "\"\u{FFFD}a\"")
        #expect(throws: JSONError.self) { try Self.canonical(bytes) }
        #expect(Self.errorOfSkipping(#""\ud800\u12""#, dialect: .lenient) != nil)
    }

    @Test("A key is kept when the piece ends behind it, and a value is shown as far as its piece goes")
    func pieces() throws {
        var pieces = ["{\"ab\"", ":[1,\n2", ",3]}"].map { Array($0.utf8) }[...]
        var scanner = JSONScanner([]) { () throws(JSONError) in pieces.popFirst() ?? [] }
        #expect(try scanner.kind() == .object)
        scanner.open()
        #expect(try scanner.nextMember())
        #expect(scanner.string == "ab")
        scanner.withText { #expect(Array($0) == Array("ab".utf8)) }
        #expect(try scanner.takeShown() == "[1,2")
        #expect(try !scanner.nextMember())
        #expect(scanner.line == 2 && scanner.column == 6)
    }

    @Test("Numbers of any spelling are read to the nearest Double")
    func numbers() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<20_000 {
            let value = Double.random(in: -180...180, using: &random) * (Bool.random(using: &random) ? 1 : 1e-6)
            var spelling = "\(value)"
            if Bool.random(using: &random), !spelling.contains("e") {
                spelling += "\(Int.random(in: 0...999, using: &random))"
            }
            var scanner = JSONScanner(Array((spelling + " ").utf8))
            #expect(try scanner.readNumber() == Double(spelling), "\(spelling)")
        }
        for spelling in [
            "0", "-0.0", "1e3", "1E-3", "123456789012345678901234567890", "0.1234567890123456789", "1e400",
        ] {
            var scanner = JSONScanner(Array(spelling.utf8))
            #expect(try scanner.readNumber() == Double(spelling), "\(spelling)")
        }
    }

    @Test("A number of more than 1024 characters is refused, in pieces of any length")
    func longNumbers() throws {
        for count in [7, .max] {
            let number = "0." + String(repeating: "1", count: 1022)
            #expect(try Self.canonical(Array("[\(number)]".utf8), piecesOf: count) == "[\(number)]")
            for dialect in [JSONScanner.Dialect.strict, .lenient] {
                #expect(Self.errorOfSkipping("[\(number)]", dialect: dialect) == nil)
                let error = Self.errorOfSkipping("[\(number)1]", dialect: dialect)
                #expect(error?.reason == "a number of more than 1024 characters")
            }
        }
    }

    /// Reads texts that NUL divides, and writes for each `-` or its value; `?` where it has a number beyond a double.
    private static let python = """
        import json, sys
        def refuse(word): raise ValueError(word)
        for text in open(sys.argv[1], 'rb').read().split(b'\\0'):
            try:
                value = json.loads(text.decode(), parse_constant=refuse)
                json.dumps(value, ensure_ascii=False).encode()
            except ValueError:
                print('-')
                continue
            try: print(json.dumps(value, allow_nan=False))
            except ValueError: print('?')
        """

    @Test("Reads and refuses what Python's json reads and refuses")
    func python() async throws {
        var random = SplitMix64(seed: 8259)
        let parts =
            [
                "{", "}", "[", "]", ":", ",", "\"", "\"a\":", "\"b\":", "[1,", "{\"c\":2,", "\"x", "\\", "\\u00e9",
                "\\n",
                "\\ud83d\\ude9a", "\\ud800", "1", "0", "-", ".", "e9", "E-3", "12345678901234567890.5", " ", "\n", "\r",
                "\t",
                "true", "false", "null", "NaN", "é", "\u{2028}", "\u{7F}", "\u{1}",
            ].map { Array($0.utf8) } + [[0xFF], [0xC3]]
        var texts: [[UInt8]] = []
        for _ in 0..<20_000 {
            let inner = (0..<Int.random(in: 0...7, using: &random)).flatMap { _ in
                parts[Int.random(in: 0..<parts.count, using: &random)]
            }
            let frames = [("", ""), ("[", "]"), ("\"", "\""), ("{\"k\":", "}"), ("[1.5,", "]")]
            let (start, end) = frames[Int.random(in: 0..<frames.count, using: &random)]
            texts.append(Array(start.utf8) + inner + Array(end.utf8))
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(Array(texts.joined(separator: [0])), to: "texts")
        let (ending, output, errors) = try await ChildProcess.run("python3", ["-c", Self.python, path])
        #expect(ending == .exited(0), "\(errors)")
        let theirs = output.split(separator: "\n")
        try #require(theirs.count == texts.count)
        var accepted = 0
        for (text, their) in zip(texts, theirs) where their != "?" {
            let ours: String
            do throws(JSONError) {
                ours = try Self.canonical(text, piecesOf: 1 + text.count % 5)
            } catch {
                #expect(their == "-" || error.reason.hasSuffix("is there twice"), "\(text): \(error)")
                continue
            }
            #expect(their != "-", "\(ours)")
            guard their != "-" else { continue }
            accepted += 1
            #expect(try JSON5Parser.value(of: Array(ours.utf8)) == JSON5Parser.value(of: Array(their.utf8)), "\(ours)")
        }
        #expect(accepted > 2000)
    }
}
