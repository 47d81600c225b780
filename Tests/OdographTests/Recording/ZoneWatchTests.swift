import Glibc
import OdographCivilTime
import OdographHarness
import OdographModel
import OdographTracking
import Testing

@testable import Odograph

@Suite("Zone files that change while the agent runs")
struct ZoneWatchTests {
    private let folder: ZoneFolder

    init() throws {
        folder = try .homeAndAway()
        try folder.setMachineZone("Home")
    }

    private func schedule(_ name: String?) throws -> TrackingSchedule {
        var schedule = try ScheduleFixture.schedule("* 8-17 * * *", off: .private)
        schedule.zone = try name.map { try folder.zones.rules(named: $0) } ?? folder.zones.systemRules(folder.machine)
        schedule.followsMachineZone = name == nil
        return schedule
    }

    private var watch: ZoneWatch { ZoneWatch(zones: folder.zones, machine: folder.machine) }

    @Test("Nothing is new while the files stay the same, also for a zone without a file")
    func same() throws {
        var watch = watch
        for name in [nil, "Home", "UTC"] as [String?] {
            #expect(watch.newRules(of: try schedule(name)) == nil)
            #expect(watch.newRules(of: try schedule(name)) == nil)
        }
        #expect(watch.newRules(of: TrackingSchedule()) == nil)
    }

    @Test("A named zone gets the rules of its new file, and only once", arguments: [true, false])
    func named(isReplaced: Bool) throws {
        var (watch, schedule) = (watch, try schedule("Home"))
        #expect(watch.newRules(of: schedule) == nil)
        if isReplaced {
            try folder.install("Europe/Madrid", as: "Home")
        } else {
            try folder.overwrite("Home", with: "Europe/Madrid")
        }
        let found = watch.newRules(of: schedule)
        let rules = try #require(found)
        #expect(rules.hasSameRules(as: try folder.zones.rules(named: "Away")) && rules.identifier == "Home")
        schedule.zone = rules
        #expect(watch.newRules(of: schedule) == nil)
    }

    @Test("Rules that were read before the change are replaced each time that they are given")
    func stale() throws {
        var (watch, schedule) = (watch, try schedule("Home"))
        try folder.install("Europe/Madrid", as: "Home")
        #expect(watch.newRules(of: schedule) != nil)
        #expect(watch.newRules(of: schedule) != nil)
        schedule.zone = try folder.zones.rules(named: "Home")
        #expect(watch.newRules(of: schedule) == nil)
    }

    @Test("A schedule without a zone follows the machine, and one with a zone does not")
    func machine() throws {
        var (own, named) = (watch, watch)
        let (following, fixed) = (try schedule(nil), try schedule("Home"))
        #expect(own.newRules(of: following) == nil && named.newRules(of: fixed) == nil)
        try folder.setMachineZone("Away")
        #expect(own.newRules(of: following)?.hasSameRules(as: try folder.zones.rules(named: "Away")) == true)
        #expect(named.newRules(of: fixed) == nil)
    }

    @Test("While the file is missing or damaged, the old rules stay")
    func replaced() throws {
        var (watch, schedule) = (watch, try schedule("Home"))
        #expect(watch.newRules(of: schedule) == nil)
        unlink(folder.folder.file("Home"))
        #expect(watch.newRules(of: schedule) == nil)
        try folder.folder.write("TZif", to: "Home")
        #expect(watch.newRules(of: schedule) == nil)
        try folder.install("Europe/Madrid", as: "Home")
        let found = watch.newRules(of: schedule)
        schedule.zone = try #require(found)
        #expect(watch.newRules(of: schedule) == nil)
    }

    @Test("No position is recorded in time that new rules of the zone make private, and tracking opens by them")
    func pipeline() async throws {
        // 12:00 in Tokyo is 04:00 in Madrid.
        let start = "2026-11-20T03:00:00Z"
        let tracking = """
            { schedule: '* 8-17 * * *', time_zone: 'Asia/Tokyo', off_schedule: { mode: 'private' },
              sampling: { minimum_interval: 0, distance: 1 } }
            """
        mkdir(folder.folder.file("Asia"), 0o755)
        try folder.install("Asia/Tokyo", as: "Asia/Tokyo")
        let moment = ClockReading(
            systemTime: try ScheduleFixture.time(start), uptimeMilliseconds: 5000, isSystemTimeTrusted: true)
        let fixture = try await PipelineFixture(tracking, at: moment, zoneWatch: watch)
        try await fixture.drive(seconds: 60, from: 0, at: start)
        let before = await fixture.pipeline.lastLocation
        #expect(before != nil)
        let count = try await fixture.store.statistics().depth
        try folder.install("Europe/Madrid", as: "Asia/Tokyo")
        try await fixture.drive(seconds: 1, from: 60, at: start)
        #expect(await fixture.pipeline.lastLocation == nil)
        #expect(await fixture.pipeline.scheduleReport.isWithin == false)
        let closed = try await fixture.store.statistics().depth
        try await fixture.drive(seconds: 30, from: 61, at: start)
        // The last position before the closing, the end of the event, and the private event without a position.
        #expect(closed - count <= 3)
        #expect(try await fixture.store.statistics().depth == closed)
        try folder.install("Asia/Tokyo", as: "Asia/Tokyo")
        try await fixture.drive(seconds: 2, from: 91, at: start)
        #expect(await fixture.pipeline.scheduleReport.isWithin)
    }
}
