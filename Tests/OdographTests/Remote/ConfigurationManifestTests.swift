import OdographHarness
import OdographJSON
import Testing
import OdographTracking
import OdographWire

@testable import Odograph
@testable import OdographOperator

@Suite("Configuration documents that cannot be read")
struct ConfigurationManifestTests {
    private static let bytes = Array("{ tracking: { schedule: '* 9 * * *', off_schedule: { mode: 'private' } } }".utf8)
    private static let hash = SHA256.hexDigest(of: bytes)

    private static let table:
        [(
            saved: SavedDocument, reading: ConfigurationManifest.ReadResult, isNew: Bool,
            judgement: ConfigurationManifest.DocumentStatus
        )] = [
            (.absent, .absent, false, .absent), (.absent, .absent, true, .uncertain),
            (.absent, .levels([:]), true, .absent), (.absent, .levels([:]), false, .absent),
            (.absent, .levels(["all": ["other"]]), false, .absent),
            (.absent, .levels(["device": [hash]]), false, .unreadable("the document is missing in the database")),
            // The agent was killed during a withdrawal, and during the first save.
            (.absent, .levels(["device": [hash, ""]]), false, .absent),
            (.absent, .levels(["device": ["", hash]]), false, .absent),
            (.absent, .levels(["device": ["?"]]), false, .uncertain),
            (.absent, .unreadable("flipped"), false, .uncertain),
            (.found(bytes), .absent, false, .found(bytes)), (.found(bytes), .levels([:]), false, .found(bytes)),
            (.found(bytes), .levels(["device": [hash]]), false, .found(bytes)),
            (.found(bytes), .levels(["device": ["other", hash]]), false, .found(bytes)),
            (.found(bytes), .levels(["device": ["?"]]), false, .found(bytes)),
            (.found(bytes), .unreadable("flipped"), false, .found(bytes)),
            (
                .found(bytes), .levels(["device": ["other"]]), false,
                .unreadable("the database contains an older document than the last saved one")
            ),
            // The list could not be written when the vehicle joined the level.
            (.found(ConfigurationManifest.unknownDocument), .levels(["device": ["other"]]), false, .uncertain),
            (.unreadable("torn"), .absent, false, .unreadable("torn")),
            (.unreadable("torn"), .levels([:]), false, .unreadable("torn")),
        ]

    @Test("Absent, unreadable and uncertain documents are distinguished", arguments: table)
    func judged(
        _ row: (
            saved: SavedDocument, reading: ConfigurationManifest.ReadResult, isNew: Bool,
            judgement: ConfigurationManifest.DocumentStatus
        )
    ) {
        let judgement = ConfigurationManifest.classify(
            row.saved, ofLevel: "device", by: row.reading, isDatabaseNew: row.isNew)
        #expect(judgement == row.judgement)
    }

    @Test("The manifest reads back as it was written, and a damaged manifest is not an absent one")
    func file() throws {
        let folder = try TemporaryFolder()
        let index = ConfigurationManifest(besideStore: folder.file("agent.db"))
        #expect(index.read() == .absent)
        try index.write(["device": [Self.hash], "group:vans": ["", "x"]])
        #expect(index.read() == .levels(["device": [Self.hash], "group:vans": ["", "x"]]))
        for damage in ["", "{", "{\"version\":2,\"levels\":{}}", "{\"levels\":{}}"] {
            try folder.write(damage, to: "agent.db-configuration")
            guard case .unreadable = index.read() else {
                Issue.record("\(damage) is taken for a list")
                continue
            }
        }
    }

    private func levels() throws -> ConfigurationLevels {
        ConfigurationLevels(
            address: try DeviceAddress(fleet: "acme", device: "van-7"), groups: [], local: .object([:]),
            settings: try ScheduleFixture.settings("{}"))
    }

    @Test("A lost document makes all time private until a valid document arrives or the level is withdrawn")
    func effect() throws {
        let newer = Array("{ tracking: { off_schedule: { mode: 'private' }, key_of_tomorrow: 1 } }".utf8)
        for judgement in [
            ConfigurationManifest.DocumentStatus.unreadable("torn"), .uncertain, .found(newer),
            .found(Array("{ trac".utf8)),
        ] {
            for (payload, isOver) in [("{}", true), ("", true), ("{ tracking: 5 }", false), ("{ tr", false)] {
                var levels = try levels()
                levels.restore(judgement, at: .device)
                #expect(levels.outcome.settings.schedule.isAlwaysPrivate)
                #expect(levels.outcome.lostLevels == ["van-7"])
                #expect(
                    levels.outcome.errors.contains {
                        $0.topic == "fleet/acme/van-7/config" && $0.message.contains("private")
                    })
                let isNews = levels.receive(Array(payload.utf8), at: .device)
                #expect(isNews)
                #expect(levels.outcome.settings.schedule.isAlwaysPrivate == !isOver, "\(judgement) \(payload)")
                #expect(levels.outcome.lostLevels.isEmpty == isOver)
                #expect(levels.lostDocuments.contains(.device) == !isOver)
            }
        }
    }

    @Test("A missing document at the broker ends private time only if no sign of an earlier document exists")
    func silence() throws {
        var unreadable = try levels()
        unreadable.restore(.unreadable("torn"), at: .device)
        let isNews = unreadable.updateUnretained([.all, .device])
        #expect(!isNews)
        #expect(unreadable.outcome.settings.schedule.isAlwaysPrivate)
        var uncertain = try levels()
        uncertain.restore(.uncertain, at: .all)
        uncertain.restore(.uncertain, at: .device)
        let isOneFree = uncertain.updateUnretained([.device])
        #expect(isOneFree)
        #expect(uncertain.outcome.lostLevels == ["all"] && uncertain.outcome.settings.schedule.isAlwaysPrivate)
        let isOtherFree = uncertain.updateUnretained([.device, .all])
        #expect(isOtherFree)
        #expect(uncertain.outcome.lostLevels == [] && !uncertain.outcome.settings.schedule.isAlwaysPrivate)
    }

    @Test("A document that conflicts with the reloaded file makes its level lost")
    func changedFile() throws {
        var levels = try levels()
        _ = levels.receive(Array("{ tracking: { sampling: { maximum_interval: 20 } } }".utf8), at: .device)
        #expect(levels.outcome.lostLevels == [])
        let local = "{ sampling: { minimum_interval: 60 } }"
        levels.replaceLocal(
            try JSON5Parser.value(of: Array(local.utf8)), settings: try ScheduleFixture.settings(local), isLocked: false
        )
        #expect(levels.outcome.lostLevels == ["van-7"] && levels.outcome.settings.schedule.isAlwaysPrivate)
    }
}
