import OdographGeodesy
import Measuring

/// Geofences over 200 × 200 km, half circles of 20–500 m, half stars of 8–200 points (both log-uniform), and a drive
/// through them.
struct Workload {
    var shapes: [Shape] = []
    var rings: [[Coordinate]?] = []
    var drive: [Coordinate] = []
    var scattered: [Coordinate] = []
    var vertexCount = 0

    static let plane = Coordinate(latitudeDegrees: 48, longitudeDegrees: 11).map(LocalPlane.init)

    init(fences: Int, fixes: Int, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        guard let plane = Self.plane else { return }
        func logUniform(_ low: Double, _ high: Double) -> Double {
            low * power(high / low, .random(in: 0...1, using: &random))
        }
        func anywhere() -> Coordinate {
            plane.coordinate(
                of: LocalPoint(
                    eastMeters: .random(in: -100_000...100_000, using: &random),
                    northMeters: .random(in: -100_000...100_000, using: &random)))
        }
        for index in 0..<fences {
            let center = anywhere()
            let radius = logUniform(20, 500)
            if index.isMultiple(of: 2) {
                shapes.append(.circle(try Circle(center: center, radiusMeters: radius)))
                rings.append(nil)
                vertexCount += 1
            } else {
                let count = Int(logUniform(8, 200))
                let ring = (0..<count).map { vertex in
                    center.destination(
                        headingDegrees: Double(vertex) * 360 / Double(count),
                        distanceMeters: radius * .random(in: 0.6...1, using: &random))
                }
                shapes.append(.polygon(try Polygon(rings: [ring])))
                rings.append(ring)
                vertexCount += count
            }
        }
        // 20 m/s with turns, one fix a second.
        var (east, north, heading) = (0.0, 0.0, 45.0)
        for _ in 0..<fixes {
            heading += .random(in: -8...8, using: &random)
            if abs(east) > 95_000 || abs(north) > 95_000 { heading += 10 }
            let next = plane.coordinate(of: LocalPoint(eastMeters: east, northMeters: north))
            let step = plane.eastNorthMeters(of: next.destination(headingDegrees: heading, distanceMeters: 20))
            east = min(99_000, max(-99_000, step.eastMeters))
            north = min(99_000, max(-99_000, step.northMeters))
            drive.append(next)
        }
        scattered = (0..<fixes).map { _ in anywhere() }
    }
}

extension ShapeIndex {
    /// Creates an index whose slots are the positions of the shapes. Reserves no memory for growth.
    init(_ shapes: [Shape]) {
        self.init()
        for shape in shapes { add(shape) }
        compact()
    }
}
