import Testing
import Tracking
import Wire

@testable import Odograph

@Suite("Messages about geofences")
struct GeofenceDeskTests {
    private func desk() throws -> GeofenceDesk {
        GeofenceDesk(address: try DeviceAddress(fleet: "acme", device: "van-7"), groups: [])
    }

    private func feature(_ id: String, radius: Double = 50) -> String {
        "{\"type\":\"Feature\",\"id\":\"\(id)\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},\"properties\":{\"radius\":\(radius)}}"
    }

    private func set(_ features: String...) -> [UInt8] {
        Array("{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}".utf8)
    }

    @Test("Good fences of a set are in force, a text that is none leaves the set, and an empty one takes it away")
    func sets() throws {
        var desk = try desk()
        func take(_ payload: [UInt8], _ hash: String) -> Bool {
            desk.take(GeofenceParser.set(payload, topic: "t"), hash: hash, ofAll: .device)
        }
        #expect(take(set(feature("a"), feature("b", radius: 1), feature("c")), "1"))
        #expect(desk.inForce.count == 2)
        #expect(desk.report.errors.map(\.identifier) == ["b"])
        #expect(desk.report.levels.first?.errorCount == 1)
        #expect(take(Array("{ no json".utf8), "2"))
        #expect(desk.inForce.count == 2)
        let level = try #require(desk.report.levels.first)
        #expect(!level.isApplied && level.hash == "2" && level.hashInForce == "1" && level.count == 2)
        #expect(take(Array("{ still none".utf8), "3"))
        #expect(desk.report.levels.first?.hashInForce == "1")
        #expect(take(set(), "4"))
        #expect(desk.inForce.count == 0 && desk.report.hash == "")
        #expect(desk.report.levels.first?.isApplied == true)
        #expect(take([], ""))
        #expect(desk.report == ReportedGeofences())
        #expect(!take([], ""))
    }

    @Test("Errors are reported up to a bound, and the rest is counted")
    func errors() throws {
        var desk = try desk()
        let features = (0..<500).map { feature("f\($0)", radius: 1) }.joined(separator: ",")
        let payload = Array("{\"type\":\"FeatureCollection\",\"features\":[\(features)]}".utf8)
        _ = desk.take(GeofenceParser.set(payload, topic: "t"), hash: "1", ofAll: .all)
        #expect(desk.report.errors.count == GeofenceFacts.mostErrors + 1)
        #expect(desk.report.errors.last?.message == "and 480 mistakes more")
    }

    @Test(
        "A single fence lies over the set of its level, needs no identifier of its own, and goes with null or nothing")
    func singles() throws {
        var desk = try desk()
        _ = desk.take(GeofenceParser.set(set(feature("a")), topic: "t"), hash: "1", ofAll: .all)
        func take(_ text: String, _ identifier: String) -> Bool {
            desk.take(
                GeofenceParser.fence(Array(text.utf8), identifier: identifier, topic: "t"), single: identifier, of: .all
            )
        }
        let before = desk.inForce.identity
        #expect(take(feature("a", radius: 77), "a"))
        #expect(!take(feature("a", radius: 77), "a"))
        #expect(desk.inForce.count == 1 && desk.inForce.identity != before)
        #expect(take(feature("b").replacing("\"id\":\"b\",", with: ""), "b"))
        #expect(desk.inForce.count == 2)
        #expect(take(feature("x"), "c"))
        #expect(desk.report.errors.first?.message.contains("this came as \"c\"") == true)
        #expect(take(" null ", "c"))
        #expect(desk.report.errors == [])
        #expect(take("null", "b"))
        #expect(take("", "a"))
        #expect(desk.inForce.identity == before)
        #expect(take(String(decoding: set(feature("d")), as: UTF8.self), "d"))
        #expect(desk.inForce.identity == before)
    }

    @Test("One single fence more than a level may have is refused with its place, and one of them may still change")
    func tooManySingles() throws {
        var desk = try desk()
        func take(_ identifier: String, radius: Double = 50) -> Bool {
            desk.take(
                GeofenceParser.fence(
                    Array(feature(identifier, radius: radius).utf8), identifier: identifier, topic: "t"),
                single: identifier, of: .all)
        }
        for number in 0..<GeofenceDesk.mostSingles { _ = take("f\(number)") }
        #expect(desk.inForce.count == GeofenceDesk.mostSingles && desk.report.errors == [])
        _ = take("last")
        #expect(desk.inForce.count == GeofenceDesk.mostSingles)
        let error = try #require(desk.report.errors.first)
        #expect(error.identifier == "last" && error.line == 1 && error.message.contains("publish a whole set"))
        let identity = desk.inForce.identity
        #expect(take("f7", radius: 77) && desk.inForce.identity != identity)
        #expect(desk.report.errors.count == 1)
    }
}
