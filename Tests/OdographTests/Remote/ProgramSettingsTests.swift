import OdographCivilTime
import OdographCrontab
import OdographHarness
import OdographJSON
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("The settings of the embedding program")
struct ProgramSettingsTests {
    private static func levels(local: String = "{}", isLocked: Bool = false) throws -> ConfigurationLevels {
        ConfigurationLevels(
            address: try DeviceAddress(fleet: "acme", device: "van-7"), groups: ["vans"],
            local: try JSON5Parser.value(of: Array(local.utf8)), settings: try ScheduleFixture.settings(local),
            isLocked: isLocked)
    }

    private static let office =
        "{ schedule: '* 8-17 * * 1-5', time_zone: 'Europe/Madrid', off_schedule: { mode: 'private' } }"

    /// Returns the paths of the issues of a refused change. Empty if the change was accepted.
    private func refusal(
        of change: (inout TrackingSettings) throws -> Void, by levels: inout ConfigurationLevels
    ) throws -> [String] {
        do {
            try levels.changeProgramSettings(change)
            return []
        } catch let error as ConfigurationError {
            #expect(error.origin == "van-7/program")
            return error.issues.map(\.path)
        }
    }

    @Test("The program overrides all levels, only in the settings that it changes")
    func precedence() throws {
        var levels = try Self.levels(local: "{ heartbeat_interval: 100, extras: { a: 1, b: { c: 1, d: 2 } } }")
        _ = levels.receive(Array("{ tracking: { desired_accuracy: 50 } }".utf8), at: .device)
        try levels.changeProgramSettings {
            #expect($0.core.desiredAccuracyMeters == 50 && $0.core.heartbeatIntervalSeconds == 100)
            $0.core.desiredAccuracyMeters = 60
            $0.extras["a"] = nil
            $0.extras["b"] = .object(["c": .integer(3), "d": .integer(2)])
        }
        _ = levels.receive(
            Array("{ tracking: { desired_accuracy: 70, heartbeat_interval: 200, extras: { b: { d: 4 } } } }".utf8),
            at: .device)
        let settings = levels.outcome.settings
        #expect(settings.core.desiredAccuracyMeters == 60)
        #expect(settings.core.heartbeatIntervalSeconds == 200)
        #expect(settings.extras == ["b": .object(["c": .integer(3), "d": .integer(4)])])
        #expect(levels.outcome.levels.map(\.level) == ["van-7", "van-7/program"])
        for level in levels.outcome.levels {
            let errors = try ContractValidator.running().errors(
                schema: "reported-message#/definitions/level", payload: JSONCoder.string(of: level))
            #expect(errors == [])
        }
        try levels.changeProgramSettings { $0.core.isEnabled = false }
        #expect(!levels.outcome.settings.core.isEnabled)
        #expect(levels.outcome.settings.core.desiredAccuracyMeters == 60)
        _ = levels.receive([], at: .program)
        #expect(levels.outcome.settings.core.isEnabled && levels.outcome.settings.core.desiredAccuracyMeters == 70)
        #expect(levels.outcome.levels.map(\.level) == ["van-7"])
    }

    @Test("The program can change every setting, as the next start reads it")
    func everySetting() throws {
        var wanted = TrackingSettings()
        wanted.schedule.expression = try Schedule("* 10-20 * * 1-5")
        wanted.schedule.zone = try ZoneDirectory.system.rules(named: "Asia/Tokyo")
        wanted.schedule.offSchedule = OffScheduleRule(mode: .tag, tag: "after work")
        wanted.schedule.isOpenWhileTimeUnknown = false
        wanted.core.isEnabled.toggle()
        wanted.core.desiredAccuracyMeters += 1
        wanted.core.stationary.distanceMeters += 1
        wanted.core.stationary.intervalSeconds += 1
        wanted.core.stationary.speedMetersPerSecond += 1
        wanted.core.sampling.minimumIntervalSeconds += 1
        wanted.core.sampling.distanceMeters += 1
        wanted.core.sampling.headingDegrees += 1
        wanted.core.sampling.maximumIntervalSeconds += 1
        wanted.core.sampling.recordsHalts.toggle()
        wanted.core.filter.maximumSpeedMetersPerSecond += 1
        wanted.core.filter.maximumAgeSeconds += 1
        wanted.core.timeline.updateIntervalSeconds += 1
        wanted.core.timeline.shortestStopSeconds += 1
        wanted.core.timeline.vehicle = .tram
        wanted.core.timeline.gapSeconds += 1
        wanted.core.timeline.waypointToleranceMeters += 1
        wanted.core.timeline.maximumWaypoints += 1
        wanted.core.heartbeatIntervalSeconds += 1
        wanted.core.providerChangeDelaySeconds += 1
        wanted.commitIntervalSeconds += 1
        wanted.retentionSeconds += 1
        wanted.extras = ["driver": .string("42")]
        var levels = try Self.levels()
        try levels.changeProgramSettings { $0 = wanted }
        #expect(levels.outcome.settings == wanted)
        let document = try #require(levels.lastValidDocument(at: .program))
        var next = try Self.levels()
        next.restore(.found(document.bytes), at: .program)
        #expect(next.outcome.settings == wanted)
        #expect(next.outcome.lostLevels == [])
    }

    @Test("A schedule of the program without a zone follows the machine's zone; a zone that it sets is kept")
    func zone() throws {
        var levels = try Self.levels()
        try levels.changeProgramSettings { $0.schedule.expression = try Schedule("* 10-20 * * *") }
        #expect(levels.outcome.settings.schedule.zone == (try ZoneDirectory.system.systemRules()))
        let tokyo = try ZoneDirectory.system.rules(named: "Asia/Tokyo")
        try levels.changeProgramSettings { $0.schedule.zone = tokyo }
        #expect(levels.outcome.settings.schedule.zone == tokyo)
        try levels.changeProgramSettings { $0.schedule.expression = nil }
        #expect(levels.outcome.settings.schedule.expression == nil)
    }

    @Test("A wrong value is refused with its path, and no part of the change applies")
    func wrong() throws {
        var levels = try Self.levels()
        let before = levels.outcome.settings
        let paths = try refusal(
            of: {
                $0.core.desiredAccuracyMeters = 50
                $0.core.stationary.intervalSeconds = 1
                $0.core.timeline.vehicle = .walking
            }, by: &levels)
        #expect(paths.sorted() == ["tracking.stationary.interval", "tracking.timeline.vehicle"])
        #expect(throws: EncodingError.self) {
            try levels.changeProgramSettings { $0.core.sampling.distanceMeters = .nan }
        }
        #expect(throws: ScheduleError.self) {
            try levels.changeProgramSettings {
                $0.core.desiredAccuracyMeters = 50
                $0.schedule.expression = try Schedule("never")
            }
        }
        #expect(levels.outcome.settings == before && levels.outcome.levels.isEmpty)
    }

    /// A level that makes time private, and changes of the program that would loosen it, with the refused settings.
    private static let loosenings: [@Sendable (inout TrackingSettings) throws -> Void] = [
        { $0.schedule.expression = nil }, { $0.schedule.expression = try Schedule("* 8-18 * * 1-5") },
        { $0.schedule.offSchedule.mode = .tag }, { $0.schedule.zone = .utc },
        // In mode `stop` the program may decide to track.
        {
            $0.schedule.offSchedule.mode = .stop
            $0.schedule.isOpenWhileTimeUnknown = false
        },
    ]

    @Test(
        "The program cannot loosen private time of the file or of a remote level, locked or not",
        arguments: [DownlinkLevel?.none, .all, .device], [false, true])
    func privateTime(level: DownlinkLevel?, isLocked: Bool) throws {
        var levels = try Self.levels(local: level == nil ? Self.office : "{}", isLocked: isLocked)
        if let level { _ = levels.receive(Array("{ tracking: \(Self.office) }".utf8), at: level) }
        let before = levels.outcome.settings
        for change in Self.loosenings {
            #expect(try refusal(of: change, by: &levels) != [])
            #expect(levels.outcome.settings == before)
        }
        // Stricter settings, and settings that have nothing to do with privacy.
        #expect(try refusal(of: { $0.schedule.expression = try Schedule("* 9-16 * * 1-4") }, by: &levels) == [])
        #expect(try refusal(of: { $0.core.desiredAccuracyMeters = 50 }, by: &levels) == [])
        #expect(try refusal(of: { $0.core.isEnabled = false }, by: &levels) == [])
        #expect(try refusal(of: { $0.core.isEnabled = true }, by: &levels) == [])
        #expect(levels.outcome.settings.schedule.expression?.expressions == ["* 9-16 * * 1-4"])
    }

    @Test("The program changes schedules without private time as it likes, unless the file is locked")
    func openTime() throws {
        let off = "{ enabled: false, schedule: '* 8-17 * * *', time_zone: 'UTC' }"
        var free = try Self.levels(local: off)
        for change in Self.loosenings { #expect(try refusal(of: change, by: &free) == []) }
        #expect(try refusal(of: { $0.core.isEnabled = true }, by: &free) == [])
        var locked = try Self.levels(local: off, isLocked: true)
        #expect(try refusal(of: { $0.core.isEnabled = true }, by: &locked) == ["tracking.enabled"])
        #expect(!locked.outcome.settings.core.isEnabled)
    }

    @Test("Private time that begins later wins over the program's schedule, and the report has the reason")
    func laterPrivateTime() throws {
        var levels = try Self.levels()
        try levels.changeProgramSettings {
            $0.schedule.expression = try Schedule("* * * * *")
            $0.core.desiredAccuracyMeters = 50
        }
        _ = levels.receive(Array("{ tracking: \(Self.office) }".utf8), at: .all)
        #expect(levels.outcome.settings == (try ScheduleFixture.settings(Self.office)))
        #expect(levels.outcome.levels.map(\.isApplied) == [true, false])
        #expect(levels.outcome.errors.map(\.topic) == ["fleet/acme/van-7/program/config"])
        #expect(levels.outcome.lostLevels == [])
        // A restart keeps the settings for the time after the private time.
        let document = try #require(levels.lastValidDocument(at: .program))
        var next = try Self.levels(local: Self.office)
        next.restore(.found(document.bytes), at: .program)
        #expect(next.outcome.settings == levels.outcome.settings && next.outcome.lostLevels == [])
        #expect(next.lastValidDocument(at: .program) == document)
        next.replaceLocal(.object([:]), settings: TrackingSettings(), isLocked: false)
        #expect(next.outcome.settings.core.desiredAccuracyMeters == 50)
        // The next change of the program replaces the refused settings.
        try levels.changeProgramSettings { $0.core.desiredAccuracyMeters = 60 }
        #expect(levels.outcome.errors == [] && levels.outcome.settings.core.desiredAccuracyMeters == 60)
        #expect(levels.outcome.settings.schedule == (try ScheduleFixture.settings(Self.office).schedule))
    }

    @Test("Lost settings of the program make all time private until it resets them")
    func lost() throws {
        var levels = try Self.levels()
        levels.restore(.unreadable("a bad sector"), at: .program)
        #expect(levels.outcome.settings.schedule.isAlwaysPrivate)
        #expect(levels.outcome.lostLevels == ["van-7/program"])
        #expect(try refusal(of: { $0.core.desiredAccuracyMeters = 50 }, by: &levels) == [""])
        #expect(levels.outcome.settings.schedule.isAlwaysPrivate)
        let isChanged = levels.receive([], at: .program)
        #expect(isChanged && !levels.outcome.settings.schedule.isAlwaysPrivate)
        // Of a database that was lost together with its list, the program's settings count as absent.
        levels.restore(.uncertain, at: .program)
        #expect(levels.outcome.lostLevels == [])
    }
}
