import OdographCivilTime
import OdographHarness
import Testing
import OdographWire

@testable import OdographTerminal

@Suite("The timeline as text")
struct TimelineTextTests {
    @Test("A row contains times, duration, activity, distance and place, in local time")
    func table() throws {
        let madrid = try #require(try? ZoneDirectory.system.rules(named: "Europe/Madrid"))
        var depot = TimelineEventRevision.drawn("STATIONARY", "2026-11-21T11:00:00Z", nil)
        depot.venue = Venue(identifier: "d", name: "North yard", significance: "DEPOT")
        depot.tag = "private"
        // Shunting in a yard is no way from one place to another.
        var yard = TimelineEventRevision.drawn("STATIONARY", "2026-11-20T21:00:00Z", "2026-11-21T09:00:30Z")
        yard.distanceInMeters = 245.4
        let text = TimelineFormatter.table(
            [
                yard,
                .drawn("IN_TRANSPORT CAR", "2026-11-21T09:00:30Z", "2026-11-21T10:00:00Z"),
                .drawn("OFF_THE_GRID no_fix", "2026-11-21T10:00:00Z", "2026-11-21T11:00:00Z"), depot,
            ], zone: madrid)
        let lines = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            lines == [
                "from to duration activity km place tag",
                "2026-11-20 22:00:00 11-21 10:00:30 12 h stationary 40.40000, -3.70000 ± 12 m",
                "2026-11-21 10:00:30 11:00:00 59 min 30 s by car 1.23",
                "2026-11-21 11:00:00 12:00:00 1 h no position",
                "2026-11-21 12:00:00 open 0 s stationary North yard (DEPOT) private",
            ])
    }

    @Test("At 80 columns no line is wrapped, and each date is a line above its rows")
    func narrow() throws {
        let events: [TimelineEventRevision] = [
            .drawn("STATIONARY", "2026-11-20T21:00:00Z", "2026-11-21T09:00:30Z"),
            .drawn("IN_TRANSPORT MOTORCYCLE", "2026-11-21T09:00:30Z", "2026-11-21T10:00:00Z"),
            .drawn("STATIONARY", "2026-11-21T10:00:00Z", "2026-11-21T11:00:00Z"),
        ]
        let text = TimelineFormatter.table(events, zone: .utc, width: 80)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(text)")
        #expect(lines.count == 6 && lines[1] == "2026-11-20" && lines[3] == "2026-11-21")
        #expect(lines[4].hasPrefix("09:00:30  10:00:00") && lines[4].contains("by motorcycle"))
        #expect(lines[5].hasSuffix("40.4000, -3.7000"))
        #expect(TimelineFormatter.table(events, zone: .utc, width: 200) == TimelineFormatter.table(events, zone: .utc))
    }

    @Test("At 40 columns a row contains times, activity and distance")
    func slim() throws {
        let events: [TimelineEventRevision] = [
            .drawn("STATIONARY", "2026-11-20T21:00:00Z", "2026-11-21T09:00:30Z"),
            .drawn("IN_TRANSPORT MOTORCYCLE", "2026-11-21T09:00:30Z", "2026-11-21T10:00:00Z"),
            .drawn("OFF_THE_GRID no_fix", "2026-11-21T10:00:00Z", nil),
        ]
        let lines = TimelineFormatter.table(events, zone: .utc, width: 40).split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "from   to     activity           km", "2026-11-20", "21:00  11-21 09:00  stationary", "2026-11-21",
                "09:00  10:00  by motorcycle    1.23", "10:00  open   no position",
            ])
    }

    @Test("An open event lasts until now, except if it has no news for hours")
    func lasting() throws {
        let event = TimelineEventRevision.drawn("STATIONARY", "2026-11-20T21:00:00Z", nil)
        let heard = event.lastUpdateDate
        let soon = TimelineFormatter.table([event], zone: .utc, now: heard.advanced(bySeconds: 1800))
        #expect(soon.contains(Format.duration(seconds: heard.seconds(since: event.startDate) + 1800)))
        let late = TimelineFormatter.table([event], zone: .utc, now: heard.advanced(bySeconds: 86_400))
        #expect(late == TimelineFormatter.table([event], zone: .utc))
    }

    @Test("An end in another year contains the year")
    func otherYear() {
        let event = TimelineEventRevision.drawn("OFF_THE_GRID no_fix", "2026-11-20T21:00:00Z", "2046-07-01T09:00:30Z")
        #expect(TimelineFormatter.table([event], zone: .utc).contains("21:00:00  2046-07-01 09:00:30"))
    }

    @Test("A repeated local time contains its offset")
    func twice() throws {
        let madrid = try #require(try? ZoneDirectory.system.rules(named: "Europe/Madrid"))
        let event = TimelineEventRevision.drawn("STATIONARY", "2026-10-25T00:47:17Z", "2026-10-25T01:27:11Z")
        for width in [nil, 80] {
            let text = TimelineFormatter.table([event], zone: madrid, width: width)
            #expect(text.contains("02:47:17+02  02:27:11+01"), "\(text)")
        }
    }

    @Test(
        "A time without a zone is in the displayed zone, and a time with a zone keeps it",
        arguments: [
            ("2026-07-01", "2026-06-30T22:00:00Z"), ("2026-07-01 09:15", "2026-07-01T07:15:00Z"),
            ("2026-07-01T09:15:02", "2026-07-01T07:15:02Z"),
            ("2026-07-01T09:15:02.500", "2026-07-01T07:15:02.500Z"), ("2026-07-01T09:15:02Z", "2026-07-01T09:15:02Z"),
            ("2026-07-01T09:15:02+05:00", "2026-07-01T04:15:02Z"), ("2h", "2026-11-21T18:00:00Z"),
        ])
    func argument(text: String, expected: String) throws {
        let madrid = try #require(try? ZoneDirectory.system.rules(named: "Europe/Madrid"))
        let now = at("2026-11-21T20:00:00Z")
        #expect(Timestamp(argument: text, now: now, zone: madrid) == at(expected))
        #expect(Timestamp(argument: "no time", now: now, zone: madrid) == nil)
    }

    @Test("A day begins at the zone's midnight")
    func midnight() throws {
        let madrid = try #require(try? ZoneDirectory.system.rules(named: "Europe/Madrid"))
        #expect(at("2026-07-01T21:59:59Z").startOfDay(in: madrid) == at("2026-06-30T22:00:00Z"))
        #expect(at("2026-07-01T22:00:00Z").startOfDay(in: madrid) == at("2026-07-01T22:00:00Z"))
    }
}
