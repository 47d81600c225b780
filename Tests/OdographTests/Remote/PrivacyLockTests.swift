import OdographCivilTime
import OdographHarness
import OdographJSON
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("Private time that the vehicle's file locks")
struct PrivacyLockTests {
    private static let office =
        "{ schedule: '* 8-17 * * 1-5', time_zone: 'Europe/Madrid', off_schedule: { mode: 'private' } }"

    private static func levels(local: String = office, isLocked: Bool = true) throws -> ConfigurationLevels {
        ConfigurationLevels(
            address: try DeviceAddress(fleet: "acme", device: "van-7"), groups: ["vans"],
            local: try JSON5Parser.value(of: Array(local.utf8)), settings: try ScheduleFixture.settings(local),
            isLocked: isLocked)
    }

    /// Values of a document's `tracking`, and the paths that are refused.
    private static let documents: [(tracking: String, paths: [String])] = [
        // Documents that do not affect privacy, or are equally or more strict.
        ("{ desired_accuracy: 50, extras: { a: 1 }, commit_interval: 5 }", []), ("{ enabled: false }", []),
        ("{ off_schedule: { mode: 'stop' } }", ["tracking.schedule_before_time"]),
        ("{ off_schedule: { mode: 'stop' }, schedule_before_time: 'closed' }", []),
        ("{ schedule: '* 9-16 * * 1-4' }", []), ("{ schedule: '0 8 * * 1' }", []),
        ("{ schedule_before_time: 'open' }", []), ("{ enabled: false, schedule: null }", []),
        ("{ schedule: ['* 8-12 * * 1-5', '* 13-17 * * 1-3'] }", []),
        // Documents that loosen privacy.
        ("{ schedule: ['* 8-12 * * 1-5', '* 18 * * 1'] }", ["tracking.schedule"]),
        ("{ schedule: '* 8-18 * * 1-5' }", ["tracking.schedule"]),
        ("{ schedule: '* 8-17 * * *' }", ["tracking.schedule"]),
        ("{ schedule: '* 8-17 1 * 1' }", ["tracking.schedule"]),
        ("{ schedule: null }", ["tracking.schedule"]), ("null", ["tracking.schedule"]),
        ("{ off_schedule: { mode: 'tag' } }", ["tracking.off_schedule.mode"]),
        ("{ off_schedule: null }", ["tracking.schedule_before_time"]),
        ("{ time_zone: 'Europe/London' }", ["tracking.time_zone"]),
        ("{ time_zone: 'UTC', schedule: '0 12 * * 3' }", ["tracking.time_zone"]),
        (
            "{ time_zone: 'UTC', schedule: '* * * * *', off_schedule: { mode: 'tag', tag: 'x' } }",
            ["tracking.off_schedule.mode", "tracking.time_zone", "tracking.schedule"]
        ),
    ]

    @Test(
        "A document that loosens the lock is refused with its path; any other document applies", arguments: documents)
    func rules(tracking: String, paths: [String]) throws {
        var levels = try Self.levels()
        let before = levels.outcome.settings
        _ = levels.receive(Array("{ tracking: \(tracking) }".utf8), at: .device)
        #expect(levels.outcome.errors.map(\.path) == paths)
        #expect(levels.outcome.errors.allSatisfy { $0.message.contains("privacy.locked") && $0.value != nil })
        #expect(levels.outcome.levels.map(\.isApplied) == [paths.isEmpty])
        if !paths.isEmpty { #expect(levels.outcome.settings == before) }
        #expect(levels.outcome.lostLevels == [])
        var free = try Self.levels(isLocked: false)
        _ = free.receive(Array("{ tracking: \(tracking) }".utf8), at: .device)
        #expect(free.outcome.errors == [])
    }

    @Test("A time zone of another name with the same rules is accepted")
    func alias() throws {
        var levels = try Self.levels(local: Self.office.replacing("Europe/Madrid", with: "UTC"))
        _ = levels.receive(Array("{ tracking: { time_zone: 'Etc/UTC', schedule: '* 9 * * 1' } }".utf8), at: .all)
        #expect(levels.outcome.errors == [])
    }

    @Test("Minutes that several expressions of the file cover together are not locked")
    func listOfTheFile() throws {
        let file = Self.office.replacing("'* 8-17 * * 1-5'", with: "['30-59 8 * * *', '* 9-16 * * *', '0-14 17 * * *']")
        var levels = try Self.levels(local: file)
        _ = levels.receive(Array("{ tracking: { schedule: ['* 9-12 * * *', '45-59 8 * * 1'] } }".utf8), at: .all)
        #expect(levels.outcome.errors == [])
        _ = levels.receive(Array("{ tracking: { schedule: ['* 9-12 * * *', '0-15 17 * * 1'] } }".utf8), at: .all)
        #expect(levels.outcome.errors.map(\.path) == ["tracking.schedule"])
        #expect(levels.outcome.errors.first?.message.contains("\"* 9-16 * * *\" or \"0-14 17 * * *\"") == true)
    }

    @Test("A stronger level may undo restrictions of a weaker one, but not those of the file")
    func floor() throws {
        var levels = try Self.levels()
        _ = levels.receive(Array("{ tracking: { schedule: '* 9 * * 1' } }".utf8), at: .all)
        _ = levels.receive(Array("{ tracking: { schedule: '* 8-17 * * 1-5' } }".utf8), at: .group("vans"))
        #expect(levels.outcome.errors == [])
        _ = levels.receive(Array("{ tracking: { schedule: '* 8-17 * * 1-6' } }".utf8), at: .device)
        #expect(levels.outcome.errors.map(\.topic) == ["fleet/acme/van-7/config"])
        let office = try ScheduleFixture.settings(Self.office)
        #expect(levels.outcome.settings.schedule == office.schedule)
    }

    @Test(
        "A file without private or stopped time locks nothing, and disabled tracking stays disabled",
        arguments: [
            ("{}", "{ schedule: '* 9 * * *', off_schedule: { mode: 'tag' } }", []),
            ("{ schedule: '* 9 * * *', off_schedule: { mode: 'tag' } }", "{ schedule: null }", []),
            ("{ schedule: '* 9 * * *', time_zone: 'UTC' }", "{ schedule: null }", ["tracking.schedule"]),
            (
                "{ schedule: '* 9 * * *', time_zone: 'UTC' }", "{ off_schedule: { mode: 'private' } }",
                ["tracking.off_schedule.mode"]
            ),
            (
                "{ schedule: '* 9 * * *', time_zone: 'UTC', schedule_before_time: 'closed' }",
                "{ schedule_before_time: 'open' }", ["tracking.schedule_before_time"]
            ),
            ("{ enabled: false }", "{ enabled: true }", ["tracking.enabled"]),
        ])
    func files(local: String, tracking: String, paths: [String]) throws {
        var levels = try Self.levels(local: local)
        _ = levels.receive(Array("{ tracking: \(tracking) }".utf8), at: .device)
        #expect(levels.outcome.errors.map(\.path) == paths)
    }

    @Test("A reload of the file activates the lock, and a refused document does not count as lost")
    func reload() throws {
        var levels = try Self.levels(isLocked: false)
        let loose = Array("{ tracking: { schedule: null } }".utf8)
        _ = levels.receive(loose, at: .device)
        #expect(!levels.outcome.settings.schedule.hasPrivateTime)
        let (local, settings) = (
            try JSON5Parser.value(of: Array(Self.office.utf8)), try ScheduleFixture.settings(Self.office)
        )
        levels.replaceLocal(local, settings: settings, isLocked: true)
        #expect(levels.outcome.settings.schedule == settings.schedule)
        #expect(levels.outcome.errors.map(\.path) == ["tracking.schedule"])
        #expect(levels.outcome.lostLevels == [])
        var restarted = try Self.levels()
        restarted.restore(.found(loose), at: .device)
        #expect(restarted.outcome.settings.schedule == settings.schedule)
        #expect(restarted.outcome.lostLevels == [])
    }

    @Test(
        "An accepted document never records a position at a time at which the file alone would not",
        arguments: 0..<10)
    func generated(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var accepted = 0
        for _ in 0..<100 {
            let local = Self.tracking(&random, keys: 5)
            let locked = try ScheduleFixture.settings(local)
            var levels = try Self.levels(local: local)
            for level in [DownlinkLevel.all, .group("vans"), .device] where Bool.random(using: &random) {
                _ = levels.receive(Array("{ tracking: \(Self.tracking(&random, keys: 2)) }".utf8), at: level)
            }
            let settings = levels.outcome.settings
            if levels.outcome.levels.contains(where: \.isApplied) { accepted += 1 }
            for _ in 0..<400 {
                let time = Timestamp(
                    millisecondsSinceEpoch: Int64.random(in: 1_700_000_000...1_900_000_000, using: &random) * 1000)
                let told = settings.tellsPositions(at: time)
                #expect(!told || locked.tellsPositions(at: time), "\(local): \(levels.outcome.document)")
            }
            #expect(!settings.tellsPositions(at: nil) || locked.tellsPositions(at: nil))
        }
        #expect(accepted > 10)
    }

    private static func tracking(_ random: inout SplitMix64, keys count: Int) -> String {
        let keys: [(String, [String])] = [
            (
                "schedule",
                ["'* 8-17 * * 1-5'", "'* 9-12 * * 1-5'", "'*/2 * * * *'", "'* 8-17 1-15 * *'", "'* * * 6-8 *'"]
            ),
            ("off_schedule", ["{ mode: 'private' }", "{ mode: 'private' }", "{ mode: 'stop' }", "{ mode: 'tag' }"]),
            ("time_zone", ["'UTC'", "'UTC'", "'Europe/Madrid'", "'Europe/London'"]),
            ("schedule_before_time", ["'open'", "'closed'"]), ("enabled", ["true", "true", "true", "false"]),
        ]
        let chosen = keys.shuffled(using: &random).prefix(count).map {
            "\($0.0): \($0.1.randomElement(using: &random) ?? "null")"
        }
        return "{ \(chosen.joined(separator: ", ")) }"
    }
}

extension TrackingSettings {
    /// Returns whether a position at a time would be recorded.
    fileprivate func tellsPositions(at time: Timestamp?) -> Bool {
        core.isEnabled && (schedule.isOpen(at: time) || schedule.offSchedule.mode == .tag)
    }
}
