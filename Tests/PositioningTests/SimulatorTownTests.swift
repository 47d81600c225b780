import FoundationEssentials
import Glibc
import OdographGeodesy
import Testing

@testable import OdographPositioning

/// The roads of the quickstart's background are those of its vehicles. After a change of the simulator or of the
/// vehicles:
///
///     ODOGRAPH_RECORD=1 swift test --filter SimulatorTownTests; git diff --stat deploy/lib/quickstart/town.geojson
@Suite("The simulator's town")
struct SimulatorTownTests {
    private static let deploy = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "deploy")
    /// The rounds of a vehicle that the town has: about an hour of driving.
    private static let rounds = 2
    /// The least distance between two points of a road. A bend has a point each metre, which a map does not show.
    private static let spacingMeters = 20.0

    private struct Vehicle {
        var seed: UInt64
        var depot: Coordinate
    }

    @Test("The roads of the quickstart are those of its vehicles")
    func town() throws {
        let path = Self.deploy.appending(path: "lib/quickstart/town.geojson")
        let vehicles = try Self.vehicles()
        #expect(!vehicles.isEmpty)
        let text = Self.document(try vehicles.flatMap(Self.roads), around: vehicles.map(\.depot))
        if getenv("ODOGRAPH_RECORD") != nil {
            try text.write(to: path, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: path, encoding: .utf8) == text)
    }

    /// The vehicles that the script starts: `start_agent NAME SEED LATITUDE LONGITUDE PARKED`.
    private static func vehicles() throws -> [Vehicle] {
        let script = try String(contentsOf: deploy.appending(path: "quickstart"), encoding: .utf8)
        return try script.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 6, words[0] == "start_agent", let seed = UInt64(words[2]),
                let latitude = Double(words[3]), let longitude = Double(words[4])
            else { return nil }
            return Vehicle(
                seed: seed,
                depot: try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)))
        }
    }

    /// A road as a line with a class of OpenStreetMap's key `highway`.
    private struct Road {
        var highway: String
        var line: [Coordinate]
    }

    private static func roads(of vehicle: Vehicle) throws -> [Road] {
        let plane = RoutePlane(origin: vehicle.depot)
        var generator = SeededGenerator(seed: vehicle.seed)
        // As in DriveSimulator: the first number is the seed of the noise.
        _ = generator.next()
        var roads: [Road] = []
        for _ in 0..<rounds {
            let nodes = RoutePlanner.plan(using: &generator).nodes
            var road = Road(highway: highway(of: nodes[0]) ?? "residential", line: [])
            var lastMeters = -Double.infinity
            for node in nodes where node.distanceMeters - lastMeters >= spacingMeters || highway(of: node) != nil {
                lastMeters = node.distanceMeters
                road.line.append(try #require(plane.coordinate(of: node.place)))
                // A bend has a limit of its own, and belongs to the road before it.
                guard let next = highway(of: node), next != road.highway else { continue }
                roads.append(road)
                road = Road(highway: next, line: [road.line[road.line.count - 1]])
            }
            roads.append(road)
        }
        return roads.filter { $0.line.count > 1 }
    }

    private static func highway(of node: Route.Node) -> String? {
        switch Int((node.limitMetersPerSecond * 3.6).rounded()) {
        case 30: "residential"
        case 50: "secondary"
        case 70: "primary"
        case 100, 120: "motorway"
        default: nil
        }
    }

    /// The beginning of the names of the roads of a class. They are made up: the town is nowhere.
    private static let names = [
        "residential": "Street", "secondary": "Road", "primary": "Avenue", "motorway": "Motorway",
    ]

    private static func document(_ roads: [Road], around depots: [Coordinate]) -> String {
        let lines = roads.enumerated().map { index, road in
            feature(
                "\"highway\":\"\(road.highway)\",\"name\":\"\(names[road.highway] ?? "Road") \(index + 1)\"",
                "LineString", "[\(road.line.map(position).joined(separator: ","))]")
        }
        let places = depots.enumerated().map { index, place in
            feature("\"place\":\"quarter\",\"name\":\"Depot \(index + 1)\"", "Point", position(place))
        }
        let features = (lines + places).joined(separator: ",\n")
        return "{\"type\":\"FeatureCollection\",\"features\":[\n\(features)\n]}\n"
    }

    private static func feature(_ properties: String, _ type: String, _ coordinates: String) -> String {
        "{\"type\":\"Feature\",\"properties\":{\(properties)},\"geometry\":"
            + "{\"type\":\"\(type)\",\"coordinates\":\(coordinates)}}"
    }

    /// Five decimals: about a metre.
    private static func position(_ place: Coordinate) -> String {
        "[\((place.longitudeDegrees * 1e5).rounded() / 1e5),\((place.latitudeDegrees * 1e5).rounded() / 1e5)]"
    }
}
