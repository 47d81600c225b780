import OdographCivilTime
import OdographModel
import Testing
import OdographTracking

@testable import OdographPositioning

@Suite("Assembling fixes from reports")
struct FixAssemblerTests {
    private static let received = ClockReading(
        systemTime: Timestamp(millisecondsSinceEpoch: 1_800_000_000_000), uptimeMilliseconds: 50_000,
        isSystemTimeTrusted: true)

    private static func report(_ members: String) -> TPVReport {
        guard case .tpv(let report) = GPSDReport(line: #"{"class":"TPV",\#(members)}"#) else { return TPVReport() }
        return report
    }

    private static func outcome(_ members: String) -> FixAssembler.Outcome {
        let assembler = FixAssembler(earliestDate: nil, isReplay: false)
        return assembler.assemble(report(members), received: received)
    }

    private static func fix(_ members: String) -> Fix? {
        let base = #""mode":3,"time":"2026-11-21T09:15:02Z","lat":40,"lon":-3,"#
        guard case .fix(let fix) = outcome(base + members) else { return nil }
        return fix
    }

    @Test(
        "A report that is not a fix is skipped with its reason",
        arguments: [
            (#""mode":1,"lat":1,"lon":2,"time":"2026-11-21T09:15:02Z""#, SkipReason.noFix),
            (#""lat":1,"lon":2"#, .noFix),
            (#""mode":0"#, .noFix), (#""mode":2,"lon":2"#, .noPosition), (#""mode":3,"lat":2"#, .noPosition),
            (#""mode":3,"lat":90.1,"lon":0,"time":"2026-11-21T09:15:02Z""#, .badCoordinate),
            (#""mode":3,"lat":0,"lon":1e999,"time":"2026-11-21T09:15:02Z""#, .badCoordinate),
        ])
    func skips(members: String, reason: SkipReason) {
        #expect(Self.outcome(members) == .skipped(reason))
    }

    @Test("Impossible values become unknown, the others are kept")
    func values() {
        #expect(Self.fix(#""eph":4,"epx":3,"epy":4"#)?.accuracyMeters == 4)
        #expect(Self.fix(#""epx":3,"epy":4"#)?.accuracyMeters == 5)
        #expect(Self.fix(#""eph":0,"epx":3"#)?.accuracyMeters == nil)
        #expect(Self.fix(#""speed":-1"#)?.speedMetersPerSecond == nil)
        #expect(Self.fix(#""speed":0"#)?.speedMetersPerSecond == 0)
        #expect(Self.fix(#""speed":1e400"#)?.speedMetersPerSecond == nil)
        #expect(Self.fix(#""track":360"#)?.headingDegrees == 0)
        #expect(Self.fix(#""track":-90"#)?.headingDegrees == 270)
        #expect(Self.fix(#""track":-1e-20"#)?.headingDegrees == 0)
        #expect(Self.fix(#""alt":5"#)?.altitudeMeters == 5)
        #expect(Self.fix(#""alt":5,"altHAE":7"#)?.altitudeMeters == nil)
        #expect(Self.fix(#""alt":5,"altMSL":6,"altHAE":7"#)?.altitudeMeters == 6)
        #expect(Self.fix(#""altHAE":7"#)?.ellipsoidalAltitudeMeters == 7)
        #expect(Self.fix(#""eps":2"#)?.isMock == false)
        #expect(Self.fix(#""jam":255"#)?.jammingLevel == 1)
        #expect(Self.fix(#""jam":51"#)?.jammingLevel == 0.2)
        for jam in ["256", "-1", #""much""#] { #expect(Self.fix(#""jam":"# + jam)?.jammingLevel == nil) }
    }

    @Test(
        "A position is undated without a date, or with a date that is too old in every week round",
        arguments: [
            "", #","time":"yesterday""#, #","time":"1980-01-06T00:00:05Z""#, #","time":"1970-01-01T00:00:05Z""#,
        ])
    func undated(time: String) {
        let report = Self.report(#""mode":3,"lat":1,"lon":2,"speed":3"# + time)
        let live = FixAssembler(earliestDate: Timestamp(iso8601: "2026-11-01T00:00:00Z"), isReplay: false)
        guard case .undatedFix(let fix) = live.assemble(report, received: Self.received) else {
            Issue.record("not undated")
            return
        }
        #expect(fix.received == Self.received)
        #expect(fix.speedMetersPerSecond == 3)
    }

    @Test("A capture has no clock that could date a position")
    func undatedCapture() {
        let replay = FixAssembler(earliestDate: nil, isReplay: true)
        let outcome = replay.assemble(Self.report(#""mode":3,"lat":1,"lon":2"#), received: Self.received)
        #expect(outcome == .skipped(.noTime))
    }

    @Test(
        "A date before the build date, or a round after it, is moved by rounds if the result is plausible",
        arguments: [
            ("2026-11-21T09:15:02Z", "2026-11-21T09:15:02Z", true),
            ("2007-04-07T09:15:02Z", "2026-11-21T09:15:02Z", true),
            ("1987-08-22T09:15:02Z", "2026-11-21T09:15:02Z", true),
            ("2007-04-07T09:15:02Z", "2026-11-21T09:15:02Z", false),
            // A recorded drive on a machine with a correct clock: neither round gives a date in the past.
            ("2018-08-02T16:14:48Z", "2018-08-02T16:14:48Z", true),
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", true),
            ("2046-07-07T09:15:02Z", "2026-11-21T09:15:02Z", true),
            ("2046-07-07T09:15:02Z", "2026-11-21T09:15:02Z", false),
            // Within the round that began at the build date: the agent may be that old.
            ("2046-06-16T23:59:59Z", "2046-06-16T23:59:59Z", false),
            ("2046-06-17T00:00:00Z", "2026-11-01T00:00:00Z", false),
            // No round gives a date in the past.
            ("2046-07-09T09:15:02Z", "2046-07-09T09:15:02Z", true),
            ("2099-01-01T00:00:00Z", "2099-01-01T00:00:00Z", true),
            ("2099-01-01T00:00:00Z", "2099-01-01T00:00:00Z", false),
        ])
    func rollover(reported: String, expected: String, isTrusted: Bool) throws {
        let now = ClockReading(
            systemTime: try #require(Timestamp(iso8601: isTrusted ? "2026-11-21T09:15:03Z" : "1970-01-01T00:00:09Z")),
            uptimeMilliseconds: 0, isSystemTimeTrusted: isTrusted)
        let time = try #require(Timestamp(iso8601: reported))
        let earliest = Timestamp(iso8601: "2026-11-01T00:00:00Z")
        #expect(WeekRollover.corrected(time, earliest: earliest, now: now) == Timestamp(iso8601: expected))
        #expect(WeekRollover.corrected(time, earliest: nil, now: now) == time)
    }

    @Test("An agent that is twenty years old accepts the machine's clock and the receiver's date")
    func oldAgent() throws {
        let earliest = Timestamp(iso8601: "2026-11-01T00:00:00Z")
        let time = try #require(Timestamp(iso8601: "2047-03-01T12:00:00Z"))
        let now = ClockReading(systemTime: time, uptimeMilliseconds: 0, isSystemTimeTrusted: true)
        #expect(WeekRollover.corrected(time, earliest: earliest, now: now) == time)
    }
}
