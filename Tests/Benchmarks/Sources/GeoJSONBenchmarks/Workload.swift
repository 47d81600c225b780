import OdographGeodesy
import Measuring
import OdographModel
import OdographTracking

/// The kinds of outlines.
enum Outline {
    /// A star, which needs only the quick check.
    case star
    /// An outline with a bay across the middle, which needs the complete search for crossings.
    case bay
}

/// Returns geofences over 200 × 200 km, half circles of 20–500 m, half outlines of 8–200 points (both log-uniform),
/// each with a name.
func fences(_ count: Int, _ outline: Outline, seed: UInt64) throws -> [Geofence] {
    var random = SplitMix64(seed: seed)
    func logUniform(_ low: Double, _ high: Double) -> Double {
        low * power(high / low, .random(in: 0...1, using: &random))
    }
    return try (0..<count).compactMap { number in
        guard
            let center = Coordinate(
                latitudeDegrees: 48 + .random(in: -0.9...0.9, using: &random),
                longitudeDegrees: 11 + .random(in: -1.3...1.3, using: &random))
        else { return nil }
        let radius = logUniform(20, 500)
        var rule = GeofenceRule()
        rule.name = "Customer \(number)"
        if number.isMultiple(of: 2) {
            let circle = try Circle(center: center, radiusMeters: radius)
            return Geofence(identifier: "customer-\(number)", shape: .circle(circle), rule: rule)
        }
        let points = Int(logUniform(8, 200))
        var ring = (0..<points).map { place in
            center.destination(
                headingDegrees: -Double(place) * 360 / Double(points),
                distanceMeters: radius * .random(in: 0.6...1, using: &random))
        }
        if outline == .bay {
            ring.append(ring[0].destination(headingDegrees: 180, distanceMeters: radius * 1.3))
        }
        return Geofence(identifier: "customer-\(number)", shape: .polygon(try Polygon(rings: [ring])), rule: rule)
    }
}
