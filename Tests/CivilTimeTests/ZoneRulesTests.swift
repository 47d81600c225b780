import OdographCivilTime
import OdographHarness
import Testing

@Suite("Zone rules")
struct ZoneRulesTests {
    @Test(
        "A POSIX rule gives the right offsets",
        arguments: [
            ("UTC0", "2026-07-01T00:00:00Z", 0),
            ("<-03>3", "2026-07-01T00:00:00Z", -10_800),
            ("<+0545>-5:45", "2026-07-01T00:00:00Z", 20_700),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T00:59:59Z", 3600),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:00:00Z", 7200),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T00:59:59Z", 7200),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T01:00:00Z", 3600),
            // Southern hemisphere: daylight saving over the turn of the year.
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z", 39_600),
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01T00:00:00Z", 36_000),
            // In Dublin winter time is the exception and summer time the standard.
            ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01T00:00:00Z", 0),
            ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-01T00:00:00Z", 3600),
            // Hours below 0 and beyond 24.
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -7200),
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3600),
            ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2026-03-27T23:59:59Z", 7200),
            ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2026-03-28T00:00:00Z", 10_800),
            // J60 is 1 March in every year, 59 counts 29 February.
            ("AAA0BBB,J60/0,J300/0", "2024-02-29T23:59:59Z", 0),
            ("AAA0BBB,J60/0,J300/0", "2024-03-01T00:00:00Z", 3600),
            ("AAA0BBB,59/0,300/0", "2024-02-29T00:00:00Z", 3600),
            ("AAA0BBB,59/0,300/0", "2023-03-01T00:00:00Z", 3600),
            ("AAA0BBB,59/0,300/0", "2023-02-28T23:59:59Z", 0),
            // Daylight saving all year, the example of RFC 9636.
            ("XXX3EDT4,0/0,J365/23", "2026-01-01T02:00:00Z", -14_400),
            ("XXX3EDT4,0/0,J365/23", "2026-12-31T23:00:00Z", -14_400),
            ("AAA0BBB-2:30:15,M3.1.0,M9.1.0", "2026-07-01T00:00:00Z", 9015),
        ])
    func posix(rule: String, instant: String, offset: Int) throws {
        let rules = try ZoneRules(identifier: "test", posix: rule)
        let instant = try #require(Timestamp(iso8601: instant))
        #expect(rules.utcOffsetSeconds(at: instant) == offset)
    }

    @Test("Daylight saving throughout the year has no transitions")
    func allYear() throws {
        let rules = try ZoneRules(identifier: "test", posix: "XXX3EDT4,0/0,J365/23")
        #expect(rules.nextTransition(after: Timestamp(millisecondsSinceEpoch: 1_795_252_502_000)) == nil)
    }

    @Test(
        "An invalid POSIX rule is refused",
        arguments: [
            "", "U0", "UTC", "UTC25", "CET-1CEST", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
            "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J10", "CET-1CEST,366,10",
            "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0x", "<CET-1", "CET-1:60",
            "CET-99999999999999999999",
            "CET-1CEST,M3.5,M10.5.0", "\u{e9}\u{e9}\u{e9}0", "CET-1CEST,M3.5.0,M10.5.0/3\n",
        ])
    func refusedRule(rule: String) {
        #expect(throws: ZoneRulesError.self) { try ZoneRules(identifier: "test", posix: rule) }
    }

    @Test("Listed transitions apply up to the last, then the footer's rule")
    func footer() throws {
        let fixture = ZoneFixture(
            transitions: [(1000, 1), (2000, 0)], types: [(3600, 0, 0), (7200, 1, 0)],
            footer: "CET-1CEST,M3.5.0,M10.5.0/3")
        let rules = try ZoneRules(identifier: "test", tzif: fixture.bytes)
        func offset(_ second: Int64) -> Int {
            rules.utcOffsetSeconds(at: Timestamp(millisecondsSinceEpoch: second * 1000))
        }
        #expect([-5, 999, 1000, 1999, 2000].map(offset) == [3600, 3600, 7200, 7200, 3600])
        let next = rules.nextTransition(after: Timestamp(millisecondsSinceEpoch: 2_000_000))
        #expect(next == Timestamp(iso8601: "1970-03-29T01:00:00Z"))
    }

    @Test("Version 1 has 32-bit times and no footer, and the last offset continues")
    func versionOne() throws {
        let fixture = ZoneFixture(version: 0, transitions: [(-1000, 0), (1000, 1)], types: [(0, 0, 0), (-3600, 0, 0)])
        let rules = try ZoneRules(identifier: "test", tzif: fixture.bytes)
        #expect(rules.utcOffsetSeconds(at: Timestamp(millisecondsSinceEpoch: .max)) == -3600)
        #expect(
            rules.nextTransition(after: Timestamp(millisecondsSinceEpoch: -5000))
                == Timestamp(millisecondsSinceEpoch: 1_000_000))
    }

    @Test("Invalid bytes are refused with the reason")
    func refusedBytes() {
        let cases: [(ZoneFixture, String)] = [
            (ZoneFixture(version: 49), "unknown version"),
            (ZoneFixture(transitions: [(5, 0), (5, 0)]), "not in ascending order"),
            (ZoneFixture(transitions: [(1 << 60, 0)]), "beyond 2⁵⁹"),
            (ZoneFixture(transitions: [(.min, 0)]), "beyond 2⁵⁹"),
            (ZoneFixture(transitions: [(5, 1)]), "refers to type 1 of 1"),
            (ZoneFixture(types: [(100_000, 0, 0)]), "an offset of 100000 s"),
            (ZoneFixture(types: [(.min, 0, 0)]), "an offset of"),
            (ZoneFixture(types: [(0, 2, 0)]), "daylight saving flag"),
            (ZoneFixture(types: [(0, 0, 4)]), "a missing abbreviation"),
            (ZoneFixture(types: []), "0 local time types"),
            (ZoneFixture(names: [65]), "is not terminated"),
            (ZoneFixture(names: []), "no abbreviations"),
            (ZoneFixture(leapSeconds: 1), "right/"),
            (ZoneFixture(footer: "CET"), "in the footer"),
            (ZoneFixture(footer: "UTC0\nUTC0"), "bytes follow"),
        ]
        for (fixture, reason) in cases {
            let error = #expect(throws: ZoneRulesError.self, "\(reason)") {
                try ZoneRules(identifier: "test", tzif: fixture.bytes)
            }
            #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        }
    }

    @Test("A truncated file is refused, and a file with changed bits does not cause a crash")
    func damage() throws {
        let whole = ZoneFixture(
            transitions: [(1000, 1), (2000, 0)], types: [(3600, 0, 0), (7200, 1, 0)],
            footer: "CET-1CEST,M3.5.0,M10.5.0/3"
        ).bytes
        for count in 0..<whole.count {
            #expect(throws: ZoneRulesError.self) { try ZoneRules(identifier: "cut", tzif: Array(whole.prefix(count))) }
        }
        var read = 0
        for index in whole.indices {
            for value in UInt8.min...UInt8.max {
                var bytes = whole
                bytes[index] = value
                guard let rules = try? ZoneRules(identifier: "changed", tzif: bytes) else { continue }
                _ = rules.nextTransition(after: Timestamp(millisecondsSinceEpoch: Int64(value) * 1_000_000_000))
                read += 1
            }
        }
        #expect(read > 1000)
    }

    @Test("A local time occurs at one instant, at two, or at none")
    func local() throws {
        let rules = try ZoneRules(identifier: "test", posix: "CET-1CEST,M3.5.0,M10.5.0/3")
        func instants(_ month: Int, _ day: Int, _ hour: Int) -> LocalTimeInstants? {
            rules.instants(of: LocalTime(date: CivilDate(year: 2026, month: month, day: day), hour: hour, minute: 30))
        }
        func at(_ text: String) throws -> Timestamp { try #require(Timestamp(iso8601: text)) }
        #expect(try instants(7, 1, 12) == .once(at("2026-07-01T10:30:00Z")))
        #expect(try instants(3, 29, 2) == .skipped(at: at("2026-03-29T01:00:00Z")))
        #expect(
            try instants(10, 25, 2) == .twice(first: at("2026-10-25T00:30:00Z"), second: at("2026-10-25T01:30:00Z")))
        #expect(try rules.localTime(at: at("2026-03-29T01:00:00Z")).hour == 3)
    }
}
