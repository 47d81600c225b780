import OdographHarness
import OdographJSON
import OdographLink
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("The levels of configuration")
struct ConfigurationLevelsTests {
    private func levels(local: String = "{ heartbeat_interval: 100 }") throws -> ConfigurationLevels {
        let document = try JSON5Parser.value(of: Array(local.utf8))
        var reader = SettingsReader(document, path: "tracking")
        let settings = TrackingSettings(&reader)
        #expect(reader.allIssues() == [])
        return ConfigurationLevels(
            address: try DeviceAddress(fleet: "acme", device: "van-7"), groups: ["vans", "north"], local: document,
            settings: settings)
    }

    private func take(_ text: String, at level: DownlinkLevel, _ levels: inout ConfigurationLevels) {
        _ = levels.receive(Array(text.utf8), at: level)
    }

    @Test("A stronger level overrides a weaker one, and null restores the value below")
    func precedence() throws {
        var levels = try levels()
        take("{ version: '1', tracking: { heartbeat_interval: 200, desired_accuracy: 50 } }", at: .all, &levels)
        take("{ tracking: { heartbeat_interval: 300 } }", at: .group("vans"), &levels)
        take("{ tracking: { heartbeat_interval: 400, extras: { a: 1 } } }", at: .group("north"), &levels)
        #expect(levels.outcome.settings.core.heartbeatIntervalSeconds == 400)
        take(
            "{ tracking: { heartbeat_interval: 500, extras: { b: 2 }, desired_accuracy: null } }", at: .device, &levels)
        let settings = levels.outcome.settings
        #expect(settings.core.heartbeatIntervalSeconds == 500)
        #expect(settings.core.desiredAccuracyMeters == 200)
        #expect(settings.extras == ["a": .integer(1), "b": .integer(2)])
        #expect(levels.outcome.levels.map(\.level) == ["all", "group:vans", "group:north", "van-7"])
        #expect(levels.outcome.levels.map(\.version) == ["1", nil, nil, nil])
        #expect(levels.outcome.errors == [])
        take("", at: .device, &levels)
        #expect(levels.outcome.settings.core.heartbeatIntervalSeconds == 400)
        for level in levels.order { take("", at: level, &levels) }
        #expect(levels.outcome.settings.core.heartbeatIntervalSeconds == 100)
        #expect(levels.outcome.levels == [])
    }

    @Test("An invalid document changes nothing, and the error has path, value and remedy")
    func lastGood() throws {
        var levels = try levels()
        take("{ version: 'good', tracking: { desired_accuracy: 50 } }", at: .device, &levels)
        let settings = levels.outcome.settings
        take(
            "{ version: 'bad', tracking: { desired_acuracy: 5, stationary: { speed: 'fast' } } }", at: .device, &levels)
        #expect(levels.outcome.settings == settings)
        let level = try #require(levels.outcome.levels.first)
        #expect(!level.isApplied)
        #expect((level.version, level.versionInForce) == ("bad", "good"))
        #expect(levels.outcome.errors.allSatisfy { $0.topic == "fleet/acme/van-7/config" })
        let misspelt = try #require(levels.outcome.errors.first { $0.path == "tracking.desired_acuracy" })
        #expect(misspelt.message.contains("did you mean \"desired_accuracy\"?"))
        let wrong = try #require(levels.outcome.errors.first { $0.path == "tracking.stationary.speed" })
        #expect(wrong.value == "\"fast\"")
        #expect(wrong.message.contains("0.1 to 10"))
        #expect(levels.lastValidDocument(at: .device)?.version == "good")
    }

    @Test(
        "A key that only the vehicle's file may contain is refused, and no secret is repeated",
        arguments: ConfigurationDocument.localKeys)
    func localKeys(key: String) throws {
        var levels = try levels()
        take("{ tracking: { desired_accuracy: 50 }, \(key): { password: 'tops3cret' } }", at: .all, &levels)
        #expect(levels.outcome.settings.core.desiredAccuracyMeters == 200)
        #expect(levels.outcome.errors.map(\.path) == [key])
        #expect(levels.outcome.errors.allSatisfy { $0.message.contains("vehicle's local file") })
        #expect(!"\(levels.outcome)".contains("tops3cret"))
    }

    @Test("The strongest document with brokers sets them, and a document can set nothing else of the login")
    func brokers() throws {
        var levels = try levels()
        #expect(levels.outcome.brokers == nil)
        take("{ broker: { url: 'mqtts://a.example' } }", at: .all, &levels)
        take("{ broker: { url: ['mqtts://b.example', 'mqtt://127.0.0.1'] } }", at: .device, &levels)
        #expect(levels.outcome.brokers?.map(\.description) == ["mqtts://b.example:8883", "mqtt://127.0.0.1:1883"])
        take("{ broker: { url: null } }", at: .device, &levels)
        #expect(levels.outcome.brokers == nil)
        take("{ broker: null }", at: .device, &levels)
        #expect(levels.outcome.brokers == nil)
        take("", at: .device, &levels)
        #expect(levels.outcome.brokers?.map(\.description) == ["mqtts://a.example:8883"])
        #expect(levels.outcome.document["broker"]?["url"] == .string("mqtts://a.example"))
        for (text, path) in [
            ("{ broker: { url: 'mqtts://u:tops3cret@x.example' } }", "broker.url"),
            ("{ broker: { url: 'mqtt://x.example' } }", "broker.url"), ("{ broker: { url: [] } }", "broker.url"),
            ("{ broker: 'tops3cret' }", "broker"), ("{ broker: { password: 'tops3cret' } }", "broker.password"),
            ("{ broker: { url: 'mqtts://x.example', allow_insecure: true } }", "broker.allow_insecure"),
        ] {
            take(text, at: .device, &levels)
            #expect(levels.outcome.errors.map(\.path) == [path], "\(text)")
            #expect(levels.outcome.brokers?.count == 1)
            #expect(!"\(levels.outcome)".contains("tops3cret"), "\(text)")
        }
    }

    @Test(
        "A wrong schedule or time zone gets a specific error",
        arguments: [
            ("{ tracking: { schedule: '* 25 * * *' } }", "tracking.schedule", "hour"),
            ("{ tracking: { schedule: '* 22-6 * * *' } }", "tracking.schedule", "22"),
            (
                "{ tracking: { schedule: '* 9 * * *', time_zone: 'Europe/Madird' } }", "tracking.time_zone",
                "Europe/Madrid"
            ),
            ("{ tracking: { off_schedule: { mode: 'hide' } } }", "tracking.off_schedule.mode", "private"),
            ("{ tracking: 5 }", "tracking", "object"), ("[]", "", "object"), ("null", "", "empty payload"),
            ("{ version: 3 }", "version", "string"),
        ])
    func words(text: String, path: String, words: String) throws {
        var levels = try levels()
        take(text, at: .all, &levels)
        let error = try #require(levels.outcome.errors.first)
        #expect(error.path == path)
        #expect(error.message.contains(words), "\(error.message)")
    }

    @Test("A wrong type anywhere is refused with its path, and the settings stay")
    func wrongTypes() throws {
        let keys = try SampleConfiguration().settings.map(\.path).filter { $0.count > 1 && $0[0] == "tracking" }
            .map { Array($0.dropFirst()) }
        #expect(keys.count > 20)
        let wrong: [JSONValue] = [
            .bool(true), .integer(-7), .string("x"), .array([.null]), .object(["q": .integer(1)]),
        ]
        for path in keys {
            var refused = 0
            for value in wrong {
                var levels = try levels()
                let document = JSONValue.object([:]).replacing(["tracking"] + path, with: value)
                let before = levels.outcome.settings
                _ = levels.receive(try JSONCoder.bytes(of: document), at: .device)
                let name = (["tracking"] + path).joined(separator: ".")
                guard !levels.outcome.errors.isEmpty else { continue }
                refused += 1
                #expect(levels.outcome.settings == before)
                #expect(levels.outcome.errors.allSatisfy { $0.path.hasPrefix(name) }, "\(levels.outcome.errors)")
            }
            // At most one of the values has the right type.
            #expect(refused >= wrong.count - 1, "\(path)")
        }
    }

    @Test("A weaker document that excludes a stronger one does not end the stronger one's private time")
    func incompatibleSchedule() throws {
        let schedule = "schedule: '* 9-17 * * *', time_zone: 'UTC', off_schedule: { mode: 'private' }, "
        for (keys, isPrivate) in [(schedule, true), ("", false)] {
            var levels = try levels()
            take("{ tracking: { \(keys)sampling: { maximum_interval: 60 } } }", at: .device, &levels)
            #expect(levels.outcome.settings.schedule.hasPrivateTime == isPrivate && levels.outcome.errors == [])
            take("{ tracking: { sampling: { minimum_interval: 120 } } }", at: .all, &levels)
            #expect(!levels.outcome.errors.isEmpty)
            #expect(levels.outcome.settings.schedule.hasPrivateTime == isPrivate)
            #expect(levels.outcome.lostLevels == (isPrivate ? ["van-7"] : []))
            take("{ tracking: { sampling: { minimum_interval: 20 } } }", at: .all, &levels)
            #expect(levels.outcome.errors == [] && levels.outcome.lostLevels == [])
            #expect(levels.outcome.settings.core.sampling.maximumIntervalSeconds == 60)
            #expect(levels.outcome.settings.schedule.hasPrivateTime == isPrivate)
        }
    }

    @Test("A document that the broker no longer holds stays active, and is reported until it returns")
    func unretained() throws {
        var levels = try levels()
        take("{ version: '1', tracking: { heartbeat_interval: 200 } }", at: .all, &levels)
        take("{ tracking: { desired_accuracy: 50 } }", at: .device, &levels)
        let settings = levels.outcome.settings
        let news = [Set([DownlinkLevel.all, .group("vans")]), [.all]].map { levels.updateUnretained($0) }
        #expect(news == [true, false])
        #expect(levels.outcome.levels.map(\.isRetained) == [false, nil])
        #expect(levels.outcome.settings == settings)
        let isNews = levels.updateUnretained([])
        #expect(isNews)
        #expect(levels.outcome.levels.map(\.isRetained) == [nil, nil])
    }

    @Test("Hostile documents are refused in bounded time")
    func hostile() throws {
        var levels = try levels()
        let started = ContinuousClock.now
        let documents: [[UInt8]] = [
            [UInt8](repeating: UInt8(ascii: "["), count: 10_000),
            Array("{ tracking: { extras: ".utf8) + [UInt8](repeating: UInt8(ascii: "["), count: 10_000),
            Array("{ tracking: {}, tracking: {} }".utf8), Array("{ tracking: { desired_accuracy: NaN } }".utf8),
            [0xC3, 0x28], [0], Array("{ tracking: { extras: [\(String(repeating: "[],", count: 80_000))] } }".utf8),
            [UInt8](repeating: UInt8(ascii: " "), count: 300_000),
            Array("{\(String(repeating: "a:", count: 100_000))".utf8),
            Array("{ tracking: {\((0..<20_000).map { "k\($0): 1" }.joined(separator: ","))} }".utf8),
        ]
        for document in documents {
            let isNews = levels.receive(document, at: .all)
            #expect(isNews)
            #expect(levels.outcome.levels.map(\.isApplied) == [false])
            #expect((1...21).contains(levels.outcome.errors.count))
            #expect(try JSONCoder.bytes(of: levels.outcome.errors).count < 32_768)
        }
        let news = (0..<2).map { _ in levels.receiveOversized(10 << 20, at: .all) }
        #expect(news == [true, false])
        // Not a benchmark: only an excessive time exceeds this bound.
        #expect(ContinuousClock.now - started < .seconds(60))
    }

    @Test("Any order and repetition of the same documents leads to the same configuration")
    func order() throws {
        var random = SplitMix64(seed: 7396)
        for round in 0..<60 {
            let template = try levels()
            let documents = template.order.compactMap { level -> (DownlinkLevel, String)? in
                Int.random(in: 0..<5, using: &random) == 0 ? nil : (level, Self.document(&random))
            }
            var outcomes: [ConfigurationLevels.Outcome] = []
            for _ in 0..<6 {
                var levels = template
                let repeated = documents + documents.shuffled(using: &random).prefix(2)
                for (level, text) in repeated.shuffled(using: &random) { take(text, at: level, &levels) }
                outcomes.append(levels.outcome)
            }
            for outcome in outcomes.dropFirst() {
                #expect(outcome.document == outcomes[0].document, "round \(round)")
                #expect(outcome.settings == outcomes[0].settings)
                #expect(outcome.levels == outcomes[0].levels)
                #expect(outcome.errors == outcomes[0].errors)
            }
        }
    }

    /// Returns a random document, which may be invalid alone or in combination with others.
    ///
    /// It does not contain both the schedule and keys that a weaker document can exclude: the effect of such a document
    /// depends on whether it was in force, see ``incompatibleSchedule()``.
    private static func document(_ random: inout SplitMix64) -> String {
        let keys =
            [
                "heartbeat_interval: \(Int.random(in: -50...500, using: &random))", "desired_accuracy: null",
                "extras: { a: \(Int.random(in: 0...3, using: &random)) }", "extras: { b: { c: null, d: [1] } }",
                "unknwon: 1",
            ]
            + (Bool.random(using: &random)
                ? [
                    "sampling: { minimum_interval: \(Int.random(in: 1...400, using: &random)) }",
                    "sampling: { maximum_interval: \(Int.random(in: 1...400, using: &random)) }", "sampling: null",
                ]
                : [
                    "schedule: '* 9-17 * * 1-5', time_zone: 'UTC'", "schedule: null", "off_schedule: { mode: 'tag' }",
                ])
        let chosen = keys.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
        return
            "{ version: '\(Int.random(in: 0...9, using: &random))', tracking: { \(chosen.joined(separator: ", ")) } }"
    }

    @Test(
        "A path of an error is shortened by its number of characters, in any script",
        arguments: [(231, 231, false), (232, 230, true), (5000, 230, true)])
    func shortened(count: Int, left: Int, hasEllipsis: Bool) throws {
        var levels = try levels()
        // Two bytes each.
        let key = String(repeating: "ж", count: count)
        take("{ tracking: { '\(key)': 1 } }", at: .device, &levels)
        let path = try #require(levels.outcome.errors.first?.path)
        #expect(path == "tracking." + String(repeating: "ж", count: left) + (hasEllipsis ? "…" : ""))
    }
}
