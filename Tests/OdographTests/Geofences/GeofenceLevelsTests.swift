import OdographGeodesy
import OdographHarness
import OdographModel
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

/// Returns a circle. A test uses the radius to distinguish circles with the same identifier.
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

    /// A naive model of the layers and their fences.
    private struct Model {
        var layers: [GeofenceLayer: [String: Geofence]] = [:]

        func inForce(_ order: [GeofenceLayer]) -> [String: Geofence] {
            order.reduce(into: [:]) { merged, layer in merged.merge(layers[layer] ?? [:]) { $1 } }
        }
    }

    @Test(
        "After any sequence of changes the strongest layer's fence applies, and no fence is lost",
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
                levels.insert(fence, in: layer)
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
            #expect(levels.activeSet.count == expected.count)
            #expect(levels.activeSet.identity == GeofenceSet(expected.values).identity)
            for layer in levels.layers {
                let own = model.layers[layer] ?? [:]
                #expect(levels.count(of: layer) == own.count)
                #expect(levels.fences(of: layer).identity == GeofenceSet(own.values).identity)
            }
        }
    }
}
