import OdographCivilTime
import OdographCrontab
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

/// 1,790,000,000 is Monday 2026-09-21, 14:13:20 UTC, and 16:13:20 in Madrid.
@Suite("The vehicles and the times of rules")
struct RuleScopeTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
    private static let vehicle = RuleVehicle(key: 7, fleet: "acme", device: "van-7")

    private static func moment(_ seconds: Double) -> RuleMoment {
        RuleMoment(date: start.advanced(bySeconds: seconds), instant: ContinuousClock.now + .seconds(seconds))
    }

    private static func report(
        at second: Int64 = 0, groups: [String]? = nil, zone: String? = nil, refused: Bool = false
    ) throws -> ReportedMessage {
        var report = try JSONCoder.decode(
            ReportedMessage.self, from: Payloads.reported([], at: second, timeZone: zone))
        report.groups = groups
        if refused { report.errors = [ReportedConfigurationError(topic: "t", path: "x", value: nil, message: "m")] }
        return report
    }

    private static func crossing(at seconds: Double, isPrivate: Bool = false) throws -> LocationEvent {
        let payload = try Payloads.location(
            Int64(seconds) + 1, isGeofence: true, date: start.advanced(bySeconds: seconds).iso8601)
        return try JSONCoder.decode(LocationMessage.self, from: payload).location
    }

    private static func rule(_ condition: RuleCondition, group: String? = nil, during: [String]? = nil) throws -> Rule {
        Rule(
            name: "r", condition: condition, group: group, during: try during.map { try Schedule($0) },
            target: .command(["/bin/true"]), notifiesEnd: true)
    }

    private static let depot = RuleCondition.geofence(identifiers: [], events: [.enter])

    @Test(
        "A rule for a group is for the vehicles whose reports state the group",
        arguments: [(["vans"], 1), (["trucks", "vans"], 1), (["trucks"], 0), ([], 0), (nil, 0)] as [([String]?, Int)])
    func groups(groups: [String]?, expected: Int) throws {
        var engine = RuleEngine(rules: [try Self.rule(Self.depot, group: "vans")])
        #expect(try engine.handle(Self.crossing(at: 0), of: Self.vehicle, at: Self.moment(0)).notifications.isEmpty)
        _ = engine.handle(try Self.report(groups: groups), of: Self.vehicle, at: Self.moment(1))
        let found = engine.handle(try Self.crossing(at: 2), of: Self.vehicle, at: Self.moment(2)).notifications
        #expect(found.count == expected)
    }

    @Test(
        "A rule with a time is triggered by what happens in it, in the zone of the vehicle",
        arguments: [
            (["* 16 * * *"], "Europe/Madrid", 1), (["* 14 * * *"], "Europe/Madrid", 0), (["* 14 * * *"], nil, 1),
            (["* 14 * * *"], "No/Where", 1), (["* * * * 2-7", "13 16 * * 1"], "Europe/Madrid", 1),
            (["* * * * 2-7"], "Europe/Madrid", 0), (["* 23 * * *"], "Asia/Tokyo", 1),
        ] as [([String], String?, Int)])
    func times(during: [String], zone: String?, expected: Int) throws {
        var engine = RuleEngine(rules: [try Self.rule(Self.depot, during: during)])
        _ = engine.handle(try Self.report(zone: zone), of: Self.vehicle, at: Self.moment(0))
        // The record comes an hour later: the time of the event counts.
        let found = engine.handle(try Self.crossing(at: 2), of: Self.vehicle, at: Self.moment(3500)).notifications
        #expect(found.count == expected)
    }

    @Test("What lasts triggers the rule when its time begins, and ends also outside of it")
    func standing() throws {
        // It opens at 15:00 UTC, 2800 s after the start, and closes at 16:00.
        let rule = try Self.rule(.rejectedConfiguration, during: ["* 15 * * *"])
        var engine = RuleEngine(rules: [rule])
        let report = try Self.report(refused: true)
        #expect(engine.handle(report, of: Self.vehicle, at: Self.moment(0)).isEmpty)
        let found = [2799, 2800, 2801].map { engine.findRefusals(at: Self.moment($0)).notifications.count }
        #expect(found == [0, 1, 0])
        let end = engine.handle(try Self.report(at: 9000), of: Self.vehicle, at: Self.moment(9000))
        #expect(end.notifications.map(\.phase) == [.end])
    }

    @Test("Silence, gaps and speeds trigger only in the time of their rule")
    func others() throws {
        let during = ["* 15 * * *"]
        var silent = RuleEngine(rules: [try Self.rule(.silent(seconds: 600), during: during)])
        let origin = ContinuousClock.now
        func moment(_ seconds: Double) -> RuleMoment {
            RuleMoment(date: Self.start.advanced(bySeconds: seconds), instant: origin + .seconds(seconds))
        }
        var record = try Self.crossing(at: 0)
        record.geofence = nil
        _ = silent.handle(record, of: Self.vehicle, at: moment(0))
        let times = stride(from: 60.0, through: 6000, by: 60).filter {
            !silent.findSilence(at: moment($0), connectedSince: origin).notifications.isEmpty
        }
        #expect(times == [2820])

        var gaps = RuleEngine(rules: [try Self.rule(.gap(seconds: 60), during: during)])
        _ = gaps.handle(record, of: Self.vehicle, at: moment(0))
        let gap = [OpenGap(vehicle: 7, epoch: 7, numbers: 3...4)]
        let noticed = stride(from: 0.0, through: 6000, by: 60).filter {
            !gaps.findGaps(gap, at: moment($0)).notifications.isEmpty
        }
        #expect(noticed == [2820])

        var fast = RuleEngine(rules: [try Self.rule(.overspeed(speed: 30, seconds: 60), during: during)])
        let triggers = stride(from: 0.0, through: 6000, by: 30).filter { seconds in
            record.coords.speed = 40
            record.timestamp = Self.start.advanced(bySeconds: seconds)
            return !fast.handle(record, of: Self.vehicle, at: moment(seconds)).notifications.isEmpty
        }
        #expect(triggers == [2880])
        record.coords.speed = 20
        record.timestamp = Self.start.advanced(bySeconds: 7000)
        #expect(fast.handle(record, of: Self.vehicle, at: moment(7000)).notifications.map(\.phase) == [.end])
    }

    @Test("The zone and the groups are those of the database after a restart", arguments: DatabaseKind.allCases)
    func restart(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        let rule = try Self.rule(Self.depot, group: "vans", during: ["* 16 * * *"])
        try archive.database.begin([])
        let report = try Self.report(groups: ["vans"], zone: "Europe/Madrid")
        try archive.store([(van + "reported", try JSONCoder.bytes(of: report))])
        try archive.database.begin([rule])
        try archive.store([(van + "geofence", try Payloads.location(1, isGeofence: true))])
        #expect(try archive.rows("SELECT count(*) FROM notifications") == [["1"]])
    }
}
