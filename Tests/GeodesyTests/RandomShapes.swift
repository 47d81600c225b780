import OdographHarness
@testable import OdographGeodesy

/// Random shapes from a seed.
struct RandomShapes {
    var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    mutating func point(_ latitudes: ClosedRange<Double>, _ longitudes: ClosedRange<Double>) -> Coordinate {
        Coordinate(
            clampingLatitudeDegrees: .random(in: latitudes, using: &random),
            wrappingLongitudeDegrees: .random(in: longitudes, using: &random))
    }

    /// Returns a star around a centre, which does not cross itself.
    mutating func ring(_ center: Coordinate, meters: Double, count: Int) -> [Coordinate] {
        (0..<count).map { index in
            center.destination(
                headingDegrees: Double(index) * 360 / Double(count),
                distanceMeters: meters * .random(in: 0.4...1, using: &random))
        }
    }

    /// Returns a circle, a polygon (every other one with a hole) or a corridor.
    mutating func shape(_ center: Coordinate, meters: Double) throws -> Shape {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .circle(try Circle(center: center, radiusMeters: meters))
        case 1:
            let path = (0..<Int.random(in: 2...8, using: &random)).map { _ in
                center.destination(
                    headingDegrees: .random(in: 0..<360, using: &random),
                    distanceMeters: .random(in: 0...meters, using: &random))
            }
            return .corridor(try Corridor(path: path, halfWidthMeters: meters / 10))
        case 2: return .polygon(try Polygon(rings: [ring(center, meters: meters, count: 40)]))
        default:
            let count = Int.random(in: 3...200, using: &random)
            return .polygon(
                try Polygon(rings: [
                    ring(center, meters: meters, count: count), ring(center, meters: meters / 4, count: 5),
                ]))
        }
    }
}
