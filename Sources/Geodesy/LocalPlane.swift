/// A point of a local plane, in metres from its origin.
public struct LocalPoint: Hashable, Sendable, Codable {
    /// Metres to the east of the origin.
    public var eastMeters: Double
    /// Metres to the north of the origin.
    public var northMeters: Double

    /// - Parameters: as the properties of the same names.
    public init(eastMeters: Double, northMeters: Double) {
        self.eastMeters = eastMeters
        self.northMeters = northMeters
    }

    /// The origin.
    public static var zero: LocalPoint { LocalPoint(eastMeters: 0, northMeters: 0) }

    /// As far in the same direction, times a factor.
    /// - Parameter factor: any number; a negative one turns it round.
    public func scaled(by factor: Double) -> LocalPoint {
        LocalPoint(eastMeters: eastMeters * factor, northMeters: northMeters * factor)
    }

    /// One after the other, as two steps.
    public static func + (first: LocalPoint, second: LocalPoint) -> LocalPoint {
        LocalPoint(
            eastMeters: first.eastMeters + second.eastMeters, northMeters: first.northMeters + second.northMeters)
    }

    /// The distance to another point of the same plane, metres.
    @inlinable
    public func distanceMeters(to other: LocalPoint) -> Double {
        let east = other.eastMeters - eastMeters
        let north = other.northMeters - northMeters
        return (east * east + north * north).squareRoot()
    }

    /// The distance to the straight line between two points of the same plane, metres, never beyond its ends.
    public func distanceMeters(toSegmentFrom start: LocalPoint, to end: LocalPoint) -> Double {
        distanceMeters(to: nearest(onSegmentFrom: start, to: end).point)
    }

    /// The nearest point of a segment, and the share of the way to it, 0 at the start, 1 at the end.
    public func nearest(
        onSegmentFrom start: LocalPoint, to end: LocalPoint
    ) -> (point: LocalPoint, share: Double) {
        let east = end.eastMeters - start.eastMeters
        let north = end.northMeters - start.northMeters
        let square = east * east + north * north
        guard square > 0 else { return (start, 0) }
        let along = (eastMeters - start.eastMeters) * east + (northMeters - start.northMeters) * north
        let share = min(1, max(0, along / square))
        return (
            LocalPoint(eastMeters: start.eastMeters + share * east, northMeters: start.northMeters + share * north),
            share
        )
    }
}

/// A plane that touches the ellipsoid at an origin: metres to the east and to the north.
///
/// The map is linear in longitude and latitude, so a straight line in one is a straight line in the other, and it is
/// exact at the origin. A point `d` metres off at latitude φ is off by about `d² · tan φ / 6,400 km` in its east:
/// 0.3 m for one kilometre at 60°. Meant for windows of some kilometres below 85°; it knows the antimeridian, not the poles.
public struct LocalPlane: Hashable, Sendable, Codable {
    /// Where the plane touches.
    public let origin: Coordinate
    private let eastMetersPerDegree: Double
    private let northMetersPerDegree: Double

    /// The plane around an origin.
    public init(origin: Coordinate) {
        let scale = WGS84.Scale(latitudeDegrees: origin.latitudeDegrees)
        self.origin = origin
        // At the pole itself a degree of longitude has no width; a millimetre keeps the way back defined.
        eastMetersPerDegree = max(scale.eastMetersPerDegree, 1e-3)
        northMetersPerDegree = scale.northMetersPerDegree
    }

    /// A coordinate in the plane.
    public func eastNorthMeters(of coordinate: Coordinate) -> LocalPoint {
        let longitude = longitudeDifferenceDegrees(
            from: origin.longitudeDegrees, to: coordinate.longitudeDegrees)
        return LocalPoint(
            eastMeters: longitude * eastMetersPerDegree,
            northMeters: (coordinate.latitudeDegrees - origin.latitudeDegrees) * northMetersPerDegree)
    }

    /// The coordinate of a point of the plane; beyond a pole it is held there.
    public func coordinate(of point: LocalPoint) -> Coordinate {
        Coordinate(
            clampingLatitudeDegrees: origin.latitudeDegrees + point.northMeters / northMetersPerDegree,
            wrappingLongitudeDegrees: origin.longitudeDegrees + point.eastMeters / eastMetersPerDegree)
    }
}
