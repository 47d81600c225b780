import OdographHarness
import OdographJSON
import OdographSettings
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("A change of the groups")
struct GroupChangeTests {
    private static let isPrivate = "{ tracking: { schedule: '* 9-17 * * *', off_schedule: { mode: 'private' } } }"
    private static let (vans, north) = (DownlinkLevel.group("vans"), DownlinkLevel.group("north"))

    private func levels(groups: [String] = ["vans"], inForce: [String]? = nil) throws -> ConfigurationLevels {
        ConfigurationLevels(
            address: try DeviceAddress(fleet: "acme", device: "van-7"), groups: groups, groupsInForce: inForce,
            local: .object([:]), settings: try ScheduleFixture.settings("{}"))
    }

    private func take(_ text: String, at level: DownlinkLevel, _ levels: inout ConfigurationLevels) {
        _ = levels.receive(Array(text.utf8), at: level)
    }

    @Test("The device's own document decides about the groups, and the documents of a left group do not count")
    func change() throws {
        var levels = try levels()
        take("{ tracking: { extras: { of: 'vans' } } }", at: Self.vans, &levels)
        #expect(levels.takeLevelChange() == nil)
        take("{ groups: ['north', 'south', 'north'] }", at: .device, &levels)
        #expect(levels.outcome.groups == ["south", "north"] && levels.outcome.settings.extras.isEmpty)
        #expect(levels.order == [.all, .group("south"), Self.north, .device, .program])
        #expect(levels.outcome.document["groups"] == .array([.string("south"), .string("north")]))
        #expect(levels.outcome.errors == [] && levels.outcome.awaitedLevels == ["group:south", "group:north"])
        var taken = levels.takeLevelChange()
        var change = try #require(taken)
        #expect(change.groups == ["south", "north"] && change.left == [Self.vans])
        #expect(change.joined == [.group("south"), Self.north])
        // Without private time, a document that arrives later is no reason for it.
        #expect(!levels.outcome.settings.protectsTime)
        take("{ tracking: { extras: { of: 'north' } } }", at: Self.north, &levels)
        #expect(levels.outcome.settings.extras == ["of": .string("north")])
        _ = levels.updateUnretained([.group("south")])
        #expect(levels.outcome.awaitedLevels == [])
        // Another order is another priority.
        take("{ groups: ['north', 'south'] }", at: .device, &levels)
        taken = levels.takeLevelChange()
        change = try #require(taken)
        #expect(change.joined == [] && change.left == [] && change.groups == ["north", "south"])
        #expect(levels.outcome.settings.extras == ["of": .string("north")])
        take("{ groups: [] }", at: .device, &levels)
        #expect(levels.outcome.groups == [] && levels.outcome.settings.extras.isEmpty)
        for text in ["{ tracking: {} }", "{ groups: null }", ""] {
            take("{ groups: [] }", at: .device, &levels)
            #expect(levels.outcome.groups == [], "\(text)")
            take(text, at: .device, &levels)
            #expect(levels.outcome.groups == ["vans"], "\(text)")
        }
        // A vehicle that joins a group again gets its document again.
        #expect(levels.outcome.settings.extras.isEmpty && levels.outcome.awaitedLevels == ["group:vans"])
        let again = levels.takeLevelChange()
        #expect(again?.joined == [Self.vans])
    }

    @Test("Only the device's own document may set the groups")
    func otherLevels() throws {
        for level in [DownlinkLevel.all, Self.vans] {
            var levels = try levels()
            take("{ groups: ['north'] }", at: level, &levels)
            #expect(levels.outcome.groups == ["vans"])
            #expect(levels.outcome.errors.map(\.path) == ["groups"])
            #expect(levels.outcome.errors.first?.message.contains("own document") == true)
        }
    }

    @Test("A refused document changes no group, and the next valid one does")
    func refused() throws {
        var levels = try levels()
        take("{ groups: ['north'] }", at: .device, &levels)
        _ = levels.takeLevelChange()
        for (text, path) in [
            ("{ groups: 'vans' }", "groups"), ("{ groups: ['a b'] }", "groups"), ("{ groups: [1] }", "groups[0]"),
            ("{ groups: [\(String(repeating: "'g',", count: 65))] }", "groups"),
            ("{ groups: ['vans'], tracking: { heartbeat_interval: 'x' } }", "tracking.heartbeat_interval"),
        ] {
            take(text, at: .device, &levels)
            #expect(levels.outcome.groups == ["north"], "\(text)")
            #expect(levels.outcome.errors.map(\.path) == [path], "\(text)")
            #expect(levels.outcome.levels.last?.isApplied == false)
            #expect(levels.takeLevelChange() == nil)
        }
        // The document of all levels, and not that of the groups, decides whether it is valid.
        take("{ tracking: { sampling: { minimum_interval: 60 } } }", at: .all, &levels)
        take("{ groups: ['vans'], tracking: { sampling: { maximum_interval: 20 } } }", at: .device, &levels)
        #expect(levels.outcome.groups == ["north"] && levels.outcome.errors.count == 1)
        take("{}", at: .all, &levels)
        #expect(levels.outcome.groups == ["vans"] && levels.outcome.errors == [])
        // A document of a joined group that excludes that of the device does not lead back to the former groups.
        take("{ tracking: { sampling: { minimum_interval: 60 } } }", at: Self.vans, &levels)
        #expect(levels.outcome.groups == ["vans"] && levels.outcome.errors.count == 1)
    }

    @Test(
        "From one group with private time to another one all time is private until its document is known",
        arguments: [
            isPrivate, "{ tracking: { enabled: false } }",
            "{ tracking: { schedule: '* 9-17 * * *', off_schedule: { mode: 'stop' } } }",
        ])
    func privateTime(text: String) throws {
        for isRetained in [true, false] {
            var levels = try levels()
            take(text, at: Self.vans, &levels)
            take("{ groups: ['north'] }", at: .device, &levels)
            #expect(levels.outcome.settings.schedule.isAlwaysPrivate && levels.outcome.lostLevels == ["group:north"])
            #expect(levels.outcome.errors.map(\.topic) == ["fleet/acme/group:north/config"])
            #expect(levels.outcome.errors.first?.message.contains("has joined this level") == true)
            // Another group joined meanwhile is awaited too, and a group left meanwhile is not.
            take("{ groups: ['south', 'north'] }", at: .device, &levels)
            #expect(levels.outcome.lostLevels == ["group:south", "group:north"])
            take("{ groups: ['north'] }", at: .device, &levels)
            #expect(levels.outcome.lostLevels == ["group:north"])
            if isRetained {
                take("{ trac", at: Self.north, &levels)
                #expect(levels.outcome.settings.schedule.isAlwaysPrivate)
                take(Self.isPrivate, at: Self.north, &levels)
                #expect(levels.outcome.settings.schedule.hasPrivateTime)
            } else {
                _ = levels.updateUnretained([Self.north])
                #expect(!levels.outcome.settings.protectsTime)
            }
            #expect(!levels.outcome.settings.schedule.isAlwaysPrivate && levels.outcome.errors == [])
        }
    }

    @Test("After a restart the saved document decides, and a group whose document was awaited stays private")
    func restart() throws {
        let address = try DeviceAddress(fleet: "acme", device: "van-7")
        let own = ConfigurationManifest.DocumentStatus.found(Array("{ groups: ['north'] }".utf8))
        #expect(LevelChange.groups(in: own, address: address) == ["north"])
        for none in [
            ConfigurationManifest.DocumentStatus.absent, .uncertain, .unreadable("torn"), .found(Array("{}".utf8)),
            .found(Array("{ groups: ['a b'] }".utf8)),
        ] {
            #expect(LevelChange.groups(in: none, address: address) == nil)
        }
        var levels = try levels(inForce: ["north"])
        #expect(levels.order == [.all, Self.north, .device, .program])
        levels.restore(.absent, at: .all)
        levels.restore(.uncertain, at: Self.north)
        levels.restore(own, at: .device)
        #expect(levels.outcome.groups == ["north"])
        #expect(levels.takeLevelChange() == nil)
        #expect(levels.outcome.lostLevels == ["group:north"])
        take("{}", at: Self.north, &levels)
        #expect(levels.outcome.lostLevels == [] && levels.outcome.errors == [])
        // A lost document of the device: the groups of the file, all time private, until it arrives.
        var lost = try self.levels()
        lost.restore(.unreadable("torn"), at: .device)
        take("{ groups: ['north'] }", at: .device, &lost)
        #expect(lost.outcome.groups == ["north"] && lost.outcome.lostLevels == ["group:north"])
    }
}
