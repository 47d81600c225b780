import OdographJSON
import OdographHarness
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("Geofence messages")
struct GeofenceCatalogTests {
    private func desk() throws -> GeofenceCatalog {
        GeofenceCatalog(address: try DeviceAddress(fleet: "acme", device: "van-7"), groups: [])
    }

    private func feature(_ id: String, radius: Double = 50) -> String {
        "{\"type\":\"Feature\",\"id\":\"\(id)\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},\"properties\":{\"radius\":\(radius)}}"
    }

    private func set(_ features: String...) -> [UInt8] {
        Array("{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}".utf8)
    }

    @Test("The valid fences of a set apply, an unreadable text changes nothing, and an empty set removes them")
    func sets() throws {
        var desk = try desk()
        func take(_ payload: [UInt8], _ hash: String) -> Bool {
            desk.apply(GeofenceParser.parseSet(payload, topic: "t"), hash: hash, toSetOf: .device)
        }
        #expect(take(set(feature("a"), feature("b", radius: 1), feature("c")), "1"))
        #expect(desk.activeSet.count == 2)
        #expect(desk.report.errors.map(\.identifier) == ["b"])
        #expect(desk.report.levels.first?.errorCount == 1)
        #expect(take(Array("{ no json".utf8), "2"))
        #expect(desk.activeSet.count == 2)
        let level = try #require(desk.report.levels.first)
        #expect(!level.isApplied && level.hash == "2" && level.hashInForce == "1" && level.count == 2)
        #expect(take(Array("{ still none".utf8), "3"))
        #expect(desk.report.levels.first?.hashInForce == "1")
        #expect(take(set(), "4"))
        #expect(desk.activeSet.count == 0 && desk.report.hash == "")
        #expect(desk.report.levels.first?.isApplied == true)
        #expect(take([], ""))
        #expect(desk.report == ReportedGeofences())
        #expect(!take([], ""))
    }

    @Test("The geofences of a left group are no longer in force, and a late message of it changes nothing")
    func groups() throws {
        let address = try DeviceAddress(fleet: "acme", device: "van-7")
        var desk = GeofenceCatalog(address: address, groups: ["vans", "north"])
        func take(_ payload: [UInt8], _ level: DownlinkLevel) -> Bool {
            desk.apply(GeofenceParser.parseSet(payload, topic: "t"), hash: "\(level) \(payload.count)", toSetOf: level)
        }
        #expect(take(set(feature("a"), feature("b")), .all))
        #expect(take(set(feature("a", radius: 70)), .group("vans")))
        #expect(take(set(feature("a", radius: 90)), .group("north")))
        #expect(take(set(feature("c")), .device))
        let both = desk.activeSet.identity
        func change(_ groups: [String]) -> Bool { desk.change(groups: groups) }
        #expect(!change(["vans", "north"]))
        // The other order has another priority.
        #expect(change(["north", "vans"]))
        #expect(desk.activeSet.identity != both)
        #expect(change(["north"]))
        #expect(desk.activeSet.count == 3 && desk.activeSet.identity == both)
        #expect(desk.report.levels.map(\.level) == ["all", "group:north", "van-7"])
        #expect(!take(set(feature("late")), .group("vans")))
        let isSingleTaken = desk.apply(.withdrawn, toFence: "late", of: .group("vans"))
        #expect(!isSingleTaken)
        // A vehicle that joins again has none until they arrive again.
        #expect(change(["vans"]))
        #expect(desk.report.levels.map(\.level) == ["all", "van-7"])
        #expect(desk.activeSet.count == 3 && desk.activeSet.identity != both)
    }

    @Test("Errors are reported up to a bound, and the rest is counted")
    func errors() throws {
        var desk = try desk()
        let features = (0..<500).map { feature("f\($0)", radius: 1) }.joined(separator: ",")
        let payload = Array("{\"type\":\"FeatureCollection\",\"features\":[\(features)]}".utf8)
        _ = desk.apply(GeofenceParser.parseSet(payload, topic: "t"), hash: "1", toSetOf: .all)
        #expect(desk.report.errors.count == GeofenceLevelStatus.maximumErrors + 1)
        #expect(desk.report.errors.last?.message == "and 480 more errors")
    }

    @Test("A set with errors of an earlier run is read once more, because another version may accept it")
    func readAgain() throws {
        let folder = try TemporaryFolder()
        let archive = GeofenceArchive(besideStore: folder.file("agent.db"))
        for (radius, isKnown) in [(50, true), (1, false)] as [(Double, Bool)] {
            var desk = try desk()
            let message = GeofenceParser.parseSet(set(feature("a", radius: radius)), topic: "t")
            _ = desk.apply(message, hash: "1", toSetOf: .all)
            #expect(desk.isKnown("1", of: .all) && !desk.isKnown("2", of: .all))
            let generation = GeofenceArchive.Generation(
                identity: desk.activeSet.identity, layers: [], facts: desk.levelStatuses.map(\.value))
            var next = try self.desk()
            try next.restore(generation, archive)
            #expect(next.isKnown("1", of: .all) == isKnown)
            _ = next.apply(message, hash: "1", toSetOf: .all)
            #expect(next.isKnown("1", of: .all))
        }
    }

    @Test("One Feature is no set, an empty collection is no fence, and a byte order mark changes nothing")
    func otherForms() throws {
        func isUnreadable(_ message: GeofenceMessage) -> Bool {
            if case .unreadable = message { true } else { false }
        }
        func fence(_ text: String) -> GeofenceMessage {
            GeofenceParser.parseFence(Array(text.utf8), identifier: "a", topic: "t")
        }
        #expect(isUnreadable(GeofenceParser.parseSet(Array(feature("a").utf8), topic: "t")))
        #expect(isUnreadable(fence(#"{"type":"FeatureCollection","features":[]}"#)))
        for text in ["\u{FEFF}null", "\u{FEFF}", " null\n"] {
            guard case .withdrawn = fence(text) else { throw HarnessError("\(text): \(fence(text))") }
        }
    }

    @Test("Of refused single fences the errors of 20 are reported, and the others are counted")
    func manySingles() throws {
        var desk = try desk()
        for index in 0..<30 {
            let message = GeofenceParser.parseFence(
                Array(feature("f\(index)", radius: 1).utf8), identifier: "f\(index)", topic: "t")
            let isReported = desk.apply(message, toFence: "f\(index)", of: .all)
            #expect(isReported)
        }
        #expect(desk.report.errors.count == 21 && desk.report.errors.last?.message == "and 10 more errors")
        for index in 0..<30 { _ = desk.apply(.withdrawn, toFence: "f\(index)", of: .all) }
        #expect(desk.report.errors.isEmpty)
    }

    @Test(
        "A single fence overrides the set of its level, needs no identifier, and is removed by null or an empty text")
    func singles() throws {
        var desk = try desk()
        _ = desk.apply(GeofenceParser.parseSet(set(feature("a")), topic: "t"), hash: "1", toSetOf: .all)
        func take(_ text: String, _ identifier: String) -> Bool {
            desk.apply(
                GeofenceParser.parseFence(Array(text.utf8), identifier: identifier, topic: "t"), toFence: identifier,
                of: .all
            )
        }
        let before = desk.activeSet.identity
        #expect(take(feature("a", radius: 77), "a"))
        #expect(!take(feature("a", radius: 77), "a"))
        #expect(desk.activeSet.count == 1 && desk.activeSet.identity != before)
        #expect(take(feature("b").replacing("\"id\":\"b\",", with: ""), "b"))
        #expect(desk.activeSet.count == 2)
        #expect(take(feature("x"), "c"))
        #expect(desk.report.errors.first?.message.contains("this came as \"c\"") == true)
        #expect(take(" null ", "c"))
        #expect(desk.report.errors == [])
        #expect(take("null", "b"))
        #expect(take("", "a"))
        #expect(desk.activeSet.identity == before)
        #expect(take(String(decoding: set(feature("d")), as: UTF8.self), "d"))
        #expect(desk.activeSet.identity == before)
    }

    @Test("A single fence beyond the limit of a level is refused, and an existing one may still change")
    func tooManySingles() throws {
        var desk = try desk()
        func take(_ identifier: String, radius: Double = 50) -> Bool {
            desk.apply(
                GeofenceParser.parseFence(
                    Array(feature(identifier, radius: radius).utf8), identifier: identifier, topic: "t"),
                toFence: identifier, of: .all)
        }
        for number in 0..<GeofenceCatalog.maximumSingleFences { _ = take("f\(number)") }
        #expect(desk.activeSet.count == GeofenceCatalog.maximumSingleFences && desk.report.errors == [])
        _ = take("last")
        #expect(desk.activeSet.count == GeofenceCatalog.maximumSingleFences)
        let error = try #require(desk.report.errors.first)
        #expect(error.identifier == "last" && error.line == 1 && error.message.contains("publish a set"))
        let identity = desk.activeSet.identity
        #expect(take("f7", radius: 77) && desk.activeSet.identity != identity)
        #expect(desk.report.errors.count == 1)
    }

    @Test("A set that is too large is new once, and a set of another size is new again")
    func oversized() throws {
        var desk = try desk()
        func take(_ count: Int) -> Bool {
            desk.apply(.unreadable(JSONError(reason: "\(count) bytes")), hash: "", toSetOf: .all)
        }
        #expect(take(7))
        #expect(!take(7))
        #expect(desk.report.errors.map(\.message) == ["7 bytes"])
        #expect(take(8))
        _ = desk.apply(GeofenceParser.parseSet(set(feature("a")), topic: "t"), hash: "1", toSetOf: .all)
        #expect(take(8))
        #expect(desk.activeSet.count == 1)
    }
}
