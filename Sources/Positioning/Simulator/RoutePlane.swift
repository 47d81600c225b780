import Geodesy
import Glibc

/// Metres east and north of a point, laid on the WGS84 ellipsoid: true along every parallel and along the point's
/// meridian (the sinusoidal projection), so that a few kilometres off lengths are right to better than 10⁻⁶.
struct RoutePlane {
    /// A place on the plane, metres.
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

    /// - Returns: nil where the point is no place on Earth, which needs one thousands of kilometres away.
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
