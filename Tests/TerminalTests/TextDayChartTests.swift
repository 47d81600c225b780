import OdographCivilTime
import OdographHarness
import Testing
import OdographWire

@testable import OdographTerminal

@Suite("The chart of days")
struct TextDayChartTests {
    private let now = at("2026-11-21T20:00:00Z")

    private func lines(
        _ events: [TimelineEventRevision], zone: ZoneRules = .utc, columns: Int = 36, isColored: Bool = false
    ) -> [String] {
        TextDayChart(zone: zone, columns: columns, isColored: isColored).text(events, now: now).rendered
            .split(separator: "\n").map(String.init)
    }

    @Test("A day is drawn hour by hour with the longest activity of each hour, and with a legend")
    func day() {
        let drawn = lines([
            .drawn("OFF_THE_GRID power_off", "2026-11-21T00:00:00Z", "2026-11-21T02:00:00Z"),
            .drawn("STATIONARY", "2026-11-21T02:00:00Z", "2026-11-21T06:40:00Z"),
            .drawn("IN_TRANSPORT CAR", "2026-11-21T06:40:00Z", "2026-11-21T09:00:00Z"),
            .drawn("IN_TRANSPORT WALKING", "2026-11-21T09:00:00Z", "2026-11-21T10:00:00Z"),
            .drawn("IN_TRANSPORT BICYCLE", "2026-11-21T10:00:00Z", "2026-11-21T11:00:00Z"),
            .drawn("UNKNOWN", "2026-11-21T11:00:00Z", "2026-11-21T12:00:00Z"),
        ])
        #expect(
            drawn == [
                "            0  3  6  9  12 15 18 21",
                "2026-11-21 |xx.....##wo?            |",
                "            . stationary",
                "            # in a vehicle",
                "            o by bicycle  w on foot",
                "            x off the grid",
                "            ? unknown",
                "            one character is 1 h",
            ])
    }

    @Test("A night is split between two local days, and empty days are omitted")
    func days() throws {
        let madrid = try #require(try? ZoneDirectory.system.rules(named: "Europe/Madrid"))
        let drawn = lines(
            [
                .drawn("STATIONARY", "2026-11-18T22:00:00Z", "2026-11-19T02:00:00Z"),
                .drawn("IN_TRANSPORT BUS", "2026-11-21T22:00:00Z", "2026-11-21T23:00:00Z"),
            ], zone: madrid)
        #expect(
            drawn[1...3] == [
                "2026-11-18 |                       .|", "2026-11-19 |...                     |",
                "2026-11-21 |                       #|",
            ])
    }

    @Test("A trip right after a skipped hour that ends within a character is drawn")
    func skippedMidnight() throws {
        let cairo = try #require(try? ZoneDirectory.system.rules(named: "Africa/Cairo"))
        // 00:00 to 01:00 is skipped; one of 64 characters begins at 00:45.
        let drawn = lines(
            [.drawn("IN_TRANSPORT CAR", "2026-04-23T22:00:00Z", "2026-04-23T22:06:00Z")], zone: cairo, columns: 80)
        #expect(drawn.contains { $0.hasPrefix("2026-04-24 |  #") }, "\(drawn)")
    }

    @Test("A skipped hour is empty, and a repeated hour is drawn once")
    func changes() throws {
        let madrid = try #require(try? ZoneDirectory.system.rules(named: "Europe/Madrid"))
        let spring = lines([.drawn("STATIONARY", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z")], zone: madrid)
        #expect(spring[1] == "2026-03-29 |.. .....................|")
        let autumn = lines([.drawn("STATIONARY", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z")], zone: madrid)
        #expect(autumn[1] == "2026-10-25 |........................|")
    }

    @Test(
        "A wide terminal gets more columns an hour, and a narrow one gets at least one",
        arguments: [(0, 24), (80, 64), (85, 72), (200, 184), (500, 288)])
    func width(columns: Int, cells: Int) {
        let drawn = lines([.drawn("STATIONARY", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z")], columns: columns)
        #expect(drawn[1] == "2026-11-21 |" + String(repeating: ".", count: cells) + "|")
        #expect(columns < 37 || drawn.allSatisfy { $0.count <= columns })
        #expect(drawn[0].hasPrefix("            0") && drawn[0].hasSuffix(cells < 72 ? "21" : "23"))
    }

    @Test("A short trip or stop takes a character from its neighbours, and one below a minute does not")
    func shortOnes() {
        let events: [TimelineEventRevision] = [
            .drawn("STATIONARY", "2026-11-21T00:00:00Z", "2026-11-21T09:20:00Z"),
            .drawn("IN_TRANSPORT CAR", "2026-11-21T09:20:00Z", "2026-11-21T09:29:00Z"),
            .drawn("STATIONARY", "2026-11-21T09:29:00Z", "2026-11-21T09:31:00Z"),
            .drawn("IN_TRANSPORT WALKING", "2026-11-21T09:31:00Z", "2026-11-21T09:32:00Z"),
            .drawn("STATIONARY", "2026-11-21T09:32:00Z", "2026-11-21T12:00:00Z"),
            .drawn("IN_TRANSPORT CAR", "2026-11-21T12:00:00Z", "2026-11-21T14:00:00Z"),
            .drawn("UNKNOWN", "2026-11-21T14:00:00Z", "2026-11-21T14:00:59Z"),
            .drawn("STATIONARY", "2026-11-21T14:00:59Z", "2026-11-22T00:00:00Z"),
        ]
        // The hour from nine can give away one character. The drive gets it as the longest of the short events.
        #expect(lines(events)[1] == "2026-11-21 |.........#..##..........|")
        #expect(lines(events, columns: 109)[1].contains("|" + String(repeating: ".", count: 37) + "#w"))
    }

    @Test("In a repeated hour both passes are drawn")
    func twice() throws {
        let madrid = try #require(try? ZoneDirectory.system.rules(named: "Europe/Madrid"))
        let drawn = lines(
            [
                .drawn("STATIONARY", "2026-10-24T22:00:00Z", "2026-10-25T01:05:00Z"),
                .drawn("IN_TRANSPORT CAR", "2026-10-25T01:05:00Z", "2026-10-25T01:25:00Z"),
                .drawn("STATIONARY", "2026-10-25T01:25:00Z", "2026-10-25T23:00:00Z"),
            ], zone: madrid)
        #expect(drawn[1] == "2026-10-25 |..#.....................|")
    }

    @Test("An open event is drawn up to now, and colours appear only on request")
    func open() {
        let event = TimelineEventRevision.drawn("STATIONARY", "2026-11-21T19:00:00Z", nil)
        #expect(lines([event])[1] == "2026-11-21 |                   .    |")
        #expect(!lines([event]).joined().contains("\u{1B}"))
        #expect(lines([event], isColored: true)[1].hasSuffix("\u{1B}[90m.\u{1B}[0m    |"))
    }

    @Test("An open event without news for hours is drawn up to its last update")
    func silent() {
        #expect(
            lines([
                .drawn("STATIONARY", "2026-11-21T10:00:00Z", "2026-11-21T12:00:00Z"),
                .drawn("IN_TRANSPORT CAR", "2026-11-21T12:00:00Z", nil),
            ])[1] == "2026-11-21 |          ..            |")
    }

    @Test("Without events nothing is drawn")
    func empty() {
        #expect(lines([]).isEmpty)
    }
}
