import OdographCivilTime
import Logging
import OdographJSON
import OdographSettings
import Testing

@testable import OdographTerminal

@Suite("Texts for people")
struct TextTests {
    @Test(
        "A duration has at most two units",
        arguments: [
            (0, "0 s"), (0.4, "0 s"), (1, "1 s"), (59.4, "59 s"), (60, "1 min"), (61, "1 min 1 s"), (3600, "1 h"),
            (3659, "1 h"), (7800, "2 h 10 min"), (86_400, "1 d"), (97_200, "1 d 3 h"), (-5, "0 s"),
            (1e300, "11574074074 d 1 h"),
        ])
    func durations(seconds: Double, text: String) {
        #expect(Format.duration(seconds: seconds) == text)
    }

    @Test(
        "Numbers are rounded, not truncated",
        arguments: [
            (0, 0, "0"), (0.5, 0, "1"), (1.05, 1, "1.1"), (-0.04, 1, "0.0"), (-1.25, 1, "-1.3"), (12.3456, 3, "12.346"),
            (0.999, 2, "1.00"), (1e12, 2, "1000000000000.00"), (1e300, 2, "1e+300"), (.nan, 1, "nan"),
            (.infinity, 1, "inf"),
        ])
    func numbers(value: Double, decimals: Int, text: String) {
        #expect(value.formatted(decimals: decimals) == text)
    }

    @Test(
        "A date has a year of four digits",
        arguments: [(1, "0001-02-03"), (42, "0042-02-03"), (999, "0999-02-03"), (2026, "2026-02-03")])
    func dates(year: Int, text: String) {
        #expect(CivilDate(year: year, month: 2, day: 3).text == text)
    }

    @Test(
        "Digits are grouped by three",
        arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000")])
    func groups(number: Int, text: String) {
        #expect(Format.grouped(number) == text)
    }

    @Test("Distances, bytes and times have units")
    func units() {
        #expect(Format.distance(999.4) == "999 m")
        #expect(Format.distance(12_345, error: 40) == "12.35 km ± 40 m")
        #expect(Format.bytes(1023) == "1023 B")
        #expect(Format.bytes(1536) == "1.5 kB")
        #expect(Format.bytes(64 << 20) == "64 MB")
        let now = Timestamp(millisecondsSinceEpoch: 1_000_000)
        #expect(Format.relative(now.advanced(bySeconds: -90), to: now) == "1 min 30 s ago")
        #expect(Format.relative(now.advanced(bySeconds: 5), to: now) == "in 5 s")
        #expect(Format.relative(now, to: now) == "now")
    }

    @Test(
        "A time is read in the forms that people type",
        arguments: [
            ("2026-11-21T09:15:02Z", "2026-11-21T09:15:02.000Z"),
            ("2026-11-21T10:15:02+01:00", "2026-11-21T09:15:02.000Z"),
            ("2026-11-21", "2026-11-21T00:00:00.000Z"), ("2026-11-21 09:15", "2026-11-21T09:15:00.000Z"),
            ("2026-11-21T09:15:02", "2026-11-21T09:15:02.000Z"), ("90s", "2026-11-21T11:58:30.000Z"),
            ("2h", "2026-11-21T10:00:00.000Z"), ("3d", "2026-11-18T12:00:00.000Z"), ("yesterday", nil), ("", nil),
            ("h", nil), ("-2h", nil), ("2026-02-30", nil), ("99999999999d", nil),
        ] as [(String, String?)])
    func times(text: String, expected: String?) throws {
        let now = try #require(Timestamp(iso8601: "2026-11-21T12:00:00Z"))
        #expect(Timestamp(argument: text, now: now)?.iso8601 == expected)
    }

    @Test("A log line is one line for any message")
    func logLines() {
        let time = Timestamp(millisecondsSinceEpoch: 0)
        let metadata: Logger.Metadata = ["b": "two words", "a": "1", "c": "x\ny \"q\""]
        let plain = LogLine.text(level: .info, message: "a\n\u{1B}[2Jb", metadata: metadata, time: time, style: .plain)
        #expect(plain == "1970-01-01T00:00:00.000Z info     a \u{FFFD}[2Jb a=1 b=\"two words\" c=\"x y 'q'\"")
        let levels = Logger.Level.allCases.map {
            LogLine.text(level: $0, message: "m", metadata: [:], time: time, style: .systemdJournal)
        }
        #expect(levels == ["<7>m", "<7>m", "<6>m", "<5>m", "<4>m", "<3>m", "<2>m"])
    }

    /// Control characters that a terminal or a text viewer acts on.
    private static let controls: [Unicode.Scalar] =
        ([0x00...0x08, 0x0B...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069]
        as [ClosedRange<UInt32>])
        .flatMap { $0.compactMap(Unicode.Scalar.init) } + ["\u{61C}"]

    @Test("Control characters of data are made visible, and nothing else changes")
    func printable() {
        for control in Self.controls {
            let data = "a\(Character(control))b"
            #expect(data.printable == "a\u{FFFD}b", "U+\(String(control.value, radix: 16))")
            #expect(data.printableLines == "a\u{FFFD}b")
            #expect(TerminalText(data).rendered == "a\u{FFFD}b")
        }
        for kept in ["", "plain", "± 4 m, 271°", "Straße 東京 مرحبا 👩‍👧", "e\u{301}", "\u{A0}\u{200D}"] {
            #expect(kept.printable == kept)
            #expect(kept.printableLines == kept)
            #expect(kept.jsonEscaped == kept)
        }
        #expect("a\r\nb\tc\n".printable == "a\u{FFFD}\u{FFFD}b\u{FFFD}c\u{FFFD}")
        #expect("a\r\nb\tc\n".printableLines == "a\u{FFFD}\nb\tc\n")
        #expect(TerminalText([0x61, 0x9B, 0xFF, 0x0A]).rendered == "a\u{FFFD}\u{FFFD}\n")
    }

    @Test("Control characters in JSON are escaped, and the value stays the same")
    func json() throws {
        let text = String(String.UnicodeScalarView(Self.controls)) + "\n\t\"\\é"
        for spelled in [try JSONCoder.string(of: [text]), try JSONCoder.prettyString(of: [text])] {
            #expect(spelled.printableLines == spelled)
            #expect(try JSONCoder.decode([String].self, from: Array(spelled.utf8)) == [text])
        }
        let bytes = try JSONCoder.bytes(of: [text])
        #expect(try JSONCoder.decode([String].self, from: bytes.jsonEscaped) == [text])
        #expect(TerminalText(bytes.jsonEscaped).rendered == String(decoding: bytes.jsonEscaped, as: UTF8.self))
    }

    @Test("Only the program's own control sequences are written")
    func sequences() {
        var text = TerminalText()
        text.append(.red)
        text.append("fail\u{1B}[0m\n")
        text.append(.reset)
        #expect(text.rendered == "\u{1B}[31mfail\u{FFFD}[0m\n\u{1B}[0m")
    }

    @Test("Reasons are written as words, most frequent first, without those that never occurred")
    func reasons() {
        let counts = ["no_fix": 2, "timeBackwards": 1200, "duplicate": 2, "stale": 0]
        #expect(
            Format.reasonCounts(counts, prefix: "; rejected ")
                == "; rejected 1,204 (time backwards 1,200, duplicate 2, no fix 2)")
        #expect(Format.reasonCounts(["stale": 0], prefix: "; rejected ") == "")
    }
}
