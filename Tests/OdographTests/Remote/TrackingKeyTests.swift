import OdographCivilTime
import OdographHarness
import Logging
import OdographJSON
import OdographModel
import OdographPositioning
import OdographStore
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

/// Checks every key of the file's `tracking` in remote documents.
@Suite("Remote tracking keys")
struct TrackingKeyTests {
    /// The paths below `tracking` that hold a value, from the sample configuration.
    private static let keys: [[String]] =
        ((try? SampleConfiguration())?.settings ?? []).filter { !$0.isBlock && $0.path.first == "tracking" }.map {
            Array($0.path.dropFirst())
        }
    /// Values for keys that do not take a number.
    private static let words: [String: JSONValue] = [
        "enabled": .bool(false), "schedule": .string("* 10-20 * * 1-5"), "time_zone": .string("Europe/Madrid"),
        "mode": .string("tag"), "tag": .string("other"), "schedule_before_time": .string("closed"),
        "extras": .object(["a": .integer(1)]), "vehicle": .string("CAR"), "halts": .bool(false),
        "delivery": .string("receipt"), "encoding": .string("compact"),
        "delivery_recorders": .array([.string("a"), .string("b")]),
        "bytes": .integer(50_000_000), "first_day": .integer(31),
        "minimum_rssi": .integer(-80), "known": .object(["tag": .object(["name": .string("Tag*")])]),
    ]

    /// Returns a value that differs from the default.
    private static func other(_ path: [String], in sample: JSONValue) throws -> JSONValue {
        if let word = words[path.last ?? ""] { return word }
        var value = sample
        for key in ["tracking"] + path {
            guard case .object(let members) = value else { break }
            value = members[key] ?? .null
        }
        switch value {
        case .integer(let number): return .number(number == 0 ? 7.5 : Double(number) * 1.25)
        case .number(let number): return .number(number * 1.25)
        default: throw HarnessError("\(path) has \(value)")
        }
    }

    private func levels() throws -> ConfigurationLevels {
        ConfigurationLevels(
            address: try DeviceAddress(fleet: "acme", device: "van-7"), groups: [], local: .object([:]),
            settings: TrackingSettings())
    }

    /// Returns the settings in which a key has its default. The object `driving` turns the driving style on, also an
    /// empty one.
    private static func settings(withDefaultOf path: [String]) -> TrackingSettings {
        var settings = TrackingSettings()
        if path.first == "driving" { settings.core.driving = DrivingRule() }
        return settings
    }

    @Test("Each key is accepted at every level and changes the settings, and null restores them", arguments: keys)
    func works(path: [String]) throws {
        let value = try Self.other(path, in: SampleConfiguration().document)
        let document = JSONValue.object([:]).replacing(["tracking"] + path, with: value)
        for level in [DownlinkLevel.all, .device] {
            var levels = try levels()
            _ = levels.receive(try JSONCoder.bytes(of: document), at: level)
            #expect(levels.outcome.errors == [])
            #expect(levels.outcome.settings != Self.settings(withDefaultOf: path), "\(path)")
            let back = JSONValue.object([:]).replacing(["tracking"] + path, with: .null)
            _ = levels.receive(try JSONCoder.bytes(of: back), at: .device)
            if level == .all { #expect(levels.outcome.settings == Self.settings(withDefaultOf: path)) }
        }
    }

    @Test("The running pipeline gets all keys at once")
    func allAtOnce() async throws {
        #expect(Self.keys.count >= 21)
        let sample = try SampleConfiguration().document
        var document = JSONValue.object([:])
        for path in Self.keys {
            document = document.replacing(["tracking"] + path, with: try Self.other(path, in: sample))
        }
        var levels = try levels()
        _ = levels.receive(try JSONCoder.bytes(of: document), at: .all)
        #expect(levels.outcome.errors == [])
        let settings = levels.outcome.settings
        let clock = TestClock(try ScheduleFixture.moment("2026-11-20T12:00:00Z"))
        let (pipeline, _) = try await Self.pipeline(clock)
        await pipeline.apply(settings)
        #expect(await pipeline.settings == settings)
        #expect(await pipeline.tracker.configuration == settings.core)
        #expect(await pipeline.gate.schedule == settings.schedule)
        #expect(await pipeline.settings.retentionSeconds == settings.retentionSeconds)
        await pipeline.stop()
    }

    @Test("A change during a drive takes effect with the next position")
    func felt() async throws {
        let start = "2026-11-20T12:00:00Z"
        let clock = TestClock(try ScheduleFixture.moment(start))
        let (pipeline, store) = try await Self.pipeline(clock)
        func settings(_ text: String) throws -> TrackingSettings { try ScheduleFixture.settings(text) }
        func drive(_ seconds: Range<Int>) async throws -> Int {
            let before = await store.newestSeq()
            for var fix in try ScheduleFixture.drive(from: start, seconds: seconds.count, atSecond: seconds.lowerBound)
            {
                clock.advance(bySeconds: 1)
                fix.timestamp = clock.now().systemTime
                fix.received = clock.now()
                await pipeline.receive(SourceEvent(.fix(fix), ordinal: 0))
            }
            return Int(await store.newestSeq() - before)
        }
        _ = try await drive(0..<120)
        let seldom = try await drive(120..<180)
        await pipeline.apply(try settings("{ sampling: { minimum_interval: 0, distance: 1 } }"))
        let often = try await drive(180..<240)
        #expect(often >= 60 && seldom < 20, "\(seldom) \(often)")
        await pipeline.apply(try settings("{ sampling: { minimum_interval: 0, distance: 1 }, commit_interval: 600 }"))
        let mark = await store.newestSeq()
        #expect(try await drive(240..<270) == 0)
        await pipeline.apply(try settings("{ sampling: { minimum_interval: 0, distance: 1 } }"))
        _ = try await drive(270..<271)
        #expect(await store.newestSeq() - mark >= 30)
        await pipeline.apply(try settings("{ desired_accuracy: 3 }"))
        let accepted = await pipeline.counters.accepted
        _ = try await drive(271..<281)
        #expect(await pipeline.counters.accepted == accepted)
        await pipeline.apply(try settings("{ enabled: false }"))
        #expect(try await drive(281..<300) <= 2)
        await pipeline.stop()
    }

    private static func pipeline(_ clock: TestClock) async throws -> (InputPipeline, AgentStore) {
        let store = try await AgentStore.openInMemory(now: clock.now().systemTime).store
        let pipeline = InputPipeline(
            store: store, deviceID: "van-7", settings: TrackingSettings(), clock: clock, usesVirtualTime: false,
            problems: ProblemRegistry(clock: clock), onCommit: { _ in },
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        _ = await pipeline.restore()
        return (pipeline, store)
    }
}

extension AgentStore {
    /// Returns the number of the newest record.
    fileprivate func newestSeq() -> Int64 { (try? statistics().newestSeq) ?? 0 }
}
