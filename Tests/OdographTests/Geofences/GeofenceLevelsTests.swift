import Geodesy
import Harness
import Testing
import Tracking
import Wire

@testable import Odograph

/// A circle of a radius that tells it from others of its identifier.
func circle(_ identifier: String, radius: Double = 100) throws -> Geofence {
    let center = try #require(Coordinate(latitudeDegrees: 40, longitudeDegrees: -3))
    var rule = GeofenceRule()
    rule.name = "the place \(identifier)"
    return Geofence(
        identifier: identifier, shape: .circle(try Circle(center: center, radiusMeters: radius)), rule: rule)
}

@Suite("Levels of geofences")
struct GeofenceLevelsTests {
    private static let order: [DownlinkLevel] = [.all, .group("vans"), .device]

    /// What each layer has, as plain as can be.
    private struct Model {
        var layers: [GeofenceLayer: [String: Geofence]] = [:]

        func inForce(_ order: [GeofenceLayer]) -> [String: Geofence] {
            order.reduce(into: [:]) { merged, layer in merged.merge(layers[layer] ?? [:]) { $1 } }
        }
    }

    @Test(
        "Whatever comes in whatever order, the strongest layer's fence is in force, and nothing is lost",
        arguments: 1...8)
    func model(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        var levels = GeofenceLevels(order: Self.order)
        var model = Model()
        for step in 0..<300 {
            let layer = try #require(levels.layers.randomElement(using: &random))
            let identifier = "f\(Int.random(in: 0..<12, using: &random))"
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let fence = try circle(identifier, radius: Double(10 + step))
                levels.put(fence, in: layer)
                model.layers[layer, default: [:]][identifier] = fence
            case 2:
                levels.remove(identifier, from: layer)
                model.layers[layer]?[identifier] = nil
            default:
                let fences = try (0..<Int.random(in: 0...8, using: &random)).map {
                    try circle("f\($0)", radius: Double(10 + step))
                }
                levels.replace(layer, with: GeofenceSet(fences))
                model.layers[layer] = Dictionary(uniqueKeysWithValues: fences.map { ($0.identifier, $0) })
            }
            let expected = model.inForce(levels.layers)
            #expect(levels.inForce.count == expected.count)
            #expect(levels.inForce.identity == GeofenceSet(expected.values).identity)
            for layer in levels.layers {
                let own = model.layers[layer] ?? [:]
                #expect(levels.count(of: layer) == own.count)
                #expect(levels.fences(of: layer).identity == GeofenceSet(own.values).identity)
            }
        }
    }
}

@Suite("A set of geofences")
struct GeofenceSetTests {
    private func fences(_ count: Int) throws -> [Geofence] {
        try (0..<count).map { number in
            var fence = try circle(
                "fence \(number) \(String(repeating: "x", count: number % 40))", radius: Double(10 + number))
            if number.isMultiple(of: 3) { fence.rule.extras = "{\"n\":\(number)}" }
            if number.isMultiple(of: 5) { fence.rule.speedLimitMetersPerSecond = Double(number) }
            if number.isMultiple(of: 7) { fence.rule.loiteringDelaySeconds = Double(number) }
            return fence
        }
    }

    private func check(_ set: GeofenceSet, _ fences: [Geofence]) {
        #expect(set.count == fences.count)
        for fence in fences {
            let slot = set.slot(of: fence.identifier)
            #expect(slot != nil)
            #expect(slot.flatMap(set.identifier) == fence.identifier)
            #expect(slot.flatMap(set.rule) == fence.rule)
        }
        #expect(set.slot(of: "no such fence") == nil)
    }

    @Test(
        "Fences are found by identifier with their rules, also after others were removed, and its identity knows no order"
    )
    func change() throws {
        var random = SplitMix64(seed: 5)
        let fences = try fences(500)
        var set = GeofenceSet(fences)
        check(set, fences)
        #expect(set.identity == GeofenceSet(fences.shuffled(using: &random)).identity)
        let kept = fences.enumerated().filter { !$0.offset.isMultiple(of: 3) }.map(\.element)
        for (number, fence) in fences.enumerated() where number.isMultiple(of: 3) { set.remove(fence.identifier) }
        check(set, kept)
        #expect(set.identity == GeofenceSet(kept).identity)
        set.compact()
        check(set, kept)
        for fence in kept { set.remove(fence.identifier) }
        #expect(set.count == 0 && set.identity == 0)
    }

    @Test("What is written is read back, and damage anywhere is found")
    func bytes() throws {
        let fences = try fences(60)
        var set = GeofenceSet(fences)
        set.remove(fences[7].identifier)
        let (attributes, index) = set.serialized()
        let again = try GeofenceSet(attributes: attributes, index: index)
        check(again, fences.enumerated().filter { $0.offset != 7 }.map(\.element))
        #expect(again.identity == set.identity)
        for place in attributes.indices {
            var damaged = attributes
            damaged[place] ^= 0x10
            // The identity is the only thing that its own checksum does not cover.
            if (8..<16).contains(place) { continue }
            #expect(throws: GeofenceSetError.self) { try GeofenceSet(attributes: damaged, index: index) }
        }
        for count in stride(from: 0, to: attributes.count, by: 7) {
            #expect(throws: GeofenceSetError.self) {
                try GeofenceSet(attributes: Array(attributes[..<count]), index: index)
            }
        }
        #expect(throws: GeofenceSetError.self) {
            try GeofenceSet(attributes: attributes, index: Array(index.dropLast()))
        }
    }
}

@Suite("Geofences on the disk")
struct GeofenceArchiveTests {
    private func address() throws -> DeviceAddress { try DeviceAddress(fleet: "acme", device: "van-7") }

    private func desk() throws -> GeofenceDesk { GeofenceDesk(address: try address(), groups: ["vans"]) }

    @Test("What a run leaves the next one finds, and the generation before it as well")
    func generations() throws {
        let folder = try TemporaryFolder()
        let archive = GeofenceArchive(besideStore: folder.file("agent.db"))
        #expect(try archive.generations() == [])
        let layer = GeofenceLayer(level: .group("vans"), isSingle: false)
        var old: [GeofenceArchive.Generation] = []
        for radius in [50.0, 60, 70] {
            let set = GeofenceSet([try circle("a", radius: radius), try circle("b")])
            var facts = GeofenceFacts(level: "group:vans")
            facts.apply("hash \(radius)", ProblemList(topic: "t"))
            let new = GeofenceArchive.Generation(
                identity: set.identity, layers: [try archive.write(set, of: layer)], facts: [facts])
            try archive.commit(new, keeping: old)
            old = try archive.generations()
            #expect(old.first == new)
        }
        #expect(old.count == 2)
        // Two sets and the manifest; the third's file is gone.
        #expect(FileBytes.names(in: archive.folder).count == 3)
        for generation in old {
            var desk = try desk()
            try desk.restore(generation, archive)
            #expect(desk.inForce.identity == generation.identity)
            #expect(desk.report.levels.first?.hash == generation.facts.first?.hash)
        }
    }

    @Test("A damaged file is told of, and nothing of it is used")
    func damage() throws {
        let folder = try TemporaryFolder()
        let archive = GeofenceArchive(besideStore: folder.file("agent.db"))
        let layer = GeofenceLayer(level: .all, isSingle: true)
        let written = try archive.write(GeofenceSet([try circle("a")]), of: layer)
        #expect(try archive.set(of: written).count == 1)
        try folder.write("GFEFIL01 and so on", to: "agent.db-geofences/\(written.file)")
        #expect(throws: GeofenceArchive.Fault.self) { try archive.set(of: written) }
        try folder.write("{}", to: "agent.db-geofences/manifest.json")
        #expect(throws: GeofenceArchive.Fault.self) { try archive.generations() }
    }
}

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
}
