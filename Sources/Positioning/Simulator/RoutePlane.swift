import OdographGeodesy
import Glibc

/// A plane in metres east and north of a point of the WGS84 ellipsoid (the sinusoidal projection). Lengths along
/// parallels are exact; along meridians they are accurate to 3 × 10⁻⁶ at 3 km. Oblique lines are not: up to 5 × 10⁻⁴ at
/// 60°.
struct RoutePlane {
    /// A point of the plane, metres.
    struct Point: Hashable {
        var east: Double
        var north: Double

        func distance(to other: Point) -> Double {
            hypot(other.east - east, other.north - north)
        }
    }

    private static let semiMajorMeters = 6_378_137.0
    private static let eccentricitySquared = 6.694_379_990_14e-3
    private static let degreesPerRadian = 180 / Double.pi

    private let originLatitude: Double
    private let originLongitude: Double
    private let meridionalRadius: Double

    init(origin: Coordinate) {
        originLatitude = min(max(origin.latitudeDegrees, -80), 80)
        originLongitude = origin.longitudeDegrees
        let sine = sin(originLatitude / Self.degreesPerRadian)
        let root = (1 - Self.eccentricitySquared * sine * sine).squareRoot()
        meridionalRadius = Self.semiMajorMeters * (1 - Self.eccentricitySquared) / (root * root * root)
    }

    /// Returns the coordinate of a point; nil if the point is beyond a pole, thousands of kilometres away.
    func coordinate(of point: Point) -> Coordinate? {
        let latitude = originLatitude + point.north / meridionalRadius * Self.degreesPerRadian
        let sine = sin(latitude / Self.degreesPerRadian)
        let normalRadius = Self.semiMajorMeters / (1 - Self.eccentricitySquared * sine * sine).squareRoot()
        let parallelRadius = normalRadius * cos(latitude / Self.degreesPerRadian)
        let longitude = originLongitude + point.east / parallelRadius * Self.degreesPerRadian
        let wrapped = longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
        return Coordinate(latitudeDegrees: latitude, longitudeDegrees: wrapped)
    }
}
