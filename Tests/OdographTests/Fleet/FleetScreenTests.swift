import OdographCivilTime
import Testing

@testable import Odograph
@testable import OdographOperator
@testable import OdographWire

private let now = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)

/// Fifty vehicles, of which every fifth is silent.
private let table: FleetTable = {
    let vehicles = (1...50).map { number in
        (
            "van-\(number)",
            FleetClient.Vehicle(
                status: StatusMessage(
                    deviceID: "van-\(number)", state: number % 5 == 0 ? .offline : .online,
                    reason: number % 5 == 0 ? .connectionLost : .connected, connection: 1, bootID: "", runID: "r",
                    version: "1", timestamp: now), report: nil)
        )
    }
    return FleetTable(Dictionary(uniqueKeysWithValues: vehicles), desired: [:])
}()

@Suite("The live screen of the fleet")
struct FleetScreenTests {
    /// A person at the screen.
    private final class Person {
        private var screen = FleetScreen()

        var filter: String { screen.filter }

        /// Presses keys. Returns false if the last one ended the screen.
        func press(_ keys: TerminalKey...) -> Bool { keys.reduce(true) { screen.handle($1) } }

        func type(_ bytes: [UInt8]) { for key in TerminalKey.keys(bytes) { _ = screen.handle(key) } }

        func lines(_ columns: Int = 80, _ rows: Int = 12) -> [String] {
            screen.lines(table, title: "fleet/acme", isConnected: true, size: (columns, rows), now: now)
        }

        /// Presses keys, and returns the names of the shown vehicles.
        func names(after keys: TerminalKey..., rows: Int = 12) -> [String] {
            for key in keys { _ = screen.handle(key) }
            return lines(80, rows).filter { $0.hasPrefix("van-") }.map { String($0.prefix { $0 != " " }) }
        }
    }

    @Test("q ends the screen, except while a filter is written")
    func quit() {
        let person = Person()
        #expect(!person.press(.character("q")))
        #expect(person.press(.character("/"), .character("q")))
        #expect(person.filter == "q")
        #expect(!person.press(.enter, .character("q")))
    }

    @Test("Keys scroll, and the ends stop them")
    func scrolling() {
        let person = Person()
        let all = table.rows.map(\.name)
        let page = person.names()
        #expect(page == Array(all.prefix(page.count)) && page.count >= 8)
        #expect(person.names(after: .down).first == all[1])
        #expect(person.names(after: .up, .up).first == all[0])
        #expect(person.names(after: .pageDown).first == all[page.count])
        #expect(person.names(after: .pageUp).first == all[0])
        #expect(person.names(after: .end).last == all.last)
        #expect(person.names(after: .down).last == all.last)
        #expect(person.names(after: .home).first == all[0])
        #expect(person.lines().last == "1-\(page.count) of 50  q quit  / filter  arrows scroll")
    }

    @Test("A filter shows the vehicles whose name, group or state contains it")
    func filter() {
        let person = Person()
        person.type(Array("/VAN-4x".utf8) + [0x7F])
        #expect(person.lines().last == "/VAN-4_")
        let expected = Set(["van-4"] + (40...49).map { "van-\($0)" })
        #expect(Set(person.names(after: .enter, rows: 30)) == expected)
        #expect(person.lines(80, 30).last?.contains("/VAN-4  q quit") == true)
        #expect(person.press(.escape) && person.filter.isEmpty)
        person.type(Array("/silent\r".utf8))
        #expect(person.names(rows: 30).count == 10)
    }

    @Test(
        "No line is wider and no page is longer than the terminal", arguments: [(44, 10), (20, 5), (44, 24), (120, 3)])
    func sizes(columns: Int, rows: Int) {
        let drawn = Person().lines(columns, rows)
        #expect(drawn.count <= rows && drawn.allSatisfy { $0.count <= columns }, "\(drawn)")
    }

    @Test("The sequences of a terminal are keys")
    func keys() {
        let bytes: [UInt8] = [0x1B, 0x5B, 0x41, 0x1B, 0x4F, 0x42, 0x1B, 0x5B, 0x35, 0x7E, 0x1B, 0x5B, 0x36, 0x7E]
        #expect(TerminalKey.keys(bytes) == [.up, .down, .pageUp, .pageDown])
        #expect(TerminalKey.keys(Array("é\r\u{7F}".utf8)) == [.character("é"), .enter, .backspace])
        #expect(TerminalKey.keys([0x1B]) == [.escape])
        // Unknown, incomplete and invalid input.
        #expect(TerminalKey.keys([0x1B, 0x5B, 0x31, 0x35, 0x7E, 0x1B, 0x5B, 0xC3, 0x28, 0xFF, 0x01]).count <= 1)
    }
}

@Suite("Text in narrow terminals and in ASCII")
struct NarrowTextTests {
    @Test("The locale decides between ASCII and UTF-8")
    func locales() {
        func isWanted(_ variables: [String: String]) -> Bool { ASCIIText.isWanted { variables[$0] } }
        #expect(isWanted(["LC_ALL": "C"]) && isWanted(["LANG": "POSIX"]) && isWanted(["LC_CTYPE": "de_DE.ISO-8859-1"]))
        #expect(!isWanted([:]) && !isWanted(["LC_ALL": "C.UTF-8"]) && !isWanted(["LANG": "en_US.utf8"]))
        #expect(!isWanted(["LC_ALL": "en_US.UTF-8", "LANG": "C"]) && isWanted(["LC_ALL": "", "LANG": "C"]))
        #expect(!isWanted(["LANG": "de_DE.UTF-8@euro"]))
    }

    @Test(
        "In ASCII a character becomes what people write for it, and the columns stay",
        arguments: [
            ("1 → 2 ± 4 m … Café – ✓", "1 -> 2 +/- 4 m ... Caf? - ?"),
            ("≤ 5, ≥ 6, 271°, “a” × 2", "<= 5, >= 6, 271 deg, \"a\" x 2"),
            ("40.4, -3.7 ± 4 m      depot", "40.4, -3.7 +/- 4 m    depot"),
            ("longitude    ± m  speed", "longitude  +/- m  speed"),
            ("Very long na…  next", "Very long ...  next"),
            ("cut at the e…\n… and 3 more", "cut at the...\n... and 3 more"),
        ])
    func ascii(text: String, expected: String) {
        #expect(ASCIIText.text(text) == expected)
    }

    @Test("A line in ASCII is not wider than the terminal, and JSON keeps its value")
    func asciiWidth() {
        #expect(ASCIIText.text("van-7 1 → 2", width: 11) == "van-7 1 -> ")
        #expect(ASCIIText.text("van-7 1 → 2", width: 12) == "van-7 1 -> 2")
        #expect(ASCIIText.json("{\"a\":\"é😀\"}") == "{\"a\":\"\\u00e9\\ud83d\\ude00\"}")
        #expect(ASCIIText.json("{\"a\":1}") == "{\"a\":1}")
    }

    @Test("Lines are broken at spaces, and long words where the line ends")
    func wrapping() {
        let text = "offline; it receives the change when it connects " + String(repeating: "x", count: 70)
        let lines = Format.wrapped(text, width: 44, indentation: 4)
        #expect(lines.allSatisfy { $0.count <= 44 } && lines.dropFirst().allSatisfy { $0.hasPrefix("    ") })
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
        #expect(Format.wrapped(text, width: nil) == [text])
        #expect(Format.cut("abcdef", to: 4) == "abc…")
    }

    @Test("The table of a roll-out has 44 columns, and no reason is cut")
    func rollout() {
        var progress = RolloutProgress([], hash: nil, of: .configuration, level: "all")
        progress.applied = (1...20).map { "van-\($0)" }
        let reason = "offline; it will not receive the removal, because a broker does not retain an empty message"
        progress.pending = [
            "van-21": .init(
                presence: .stopped, since: Timestamp(millisecondsSinceEpoch: 1_790_000_000_000), reason: reason)
        ]
        let text = progress.text(now: Timestamp(millisecondsSinceEpoch: 1_790_000_060_000), width: 44)
        let lines = text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 44 }, "\(text)")
        let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
        #expect(words.contains(reason) && words.contains("van-21 stopped 1 min"), "\(text)")
    }
}
