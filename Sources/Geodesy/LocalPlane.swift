/// A point of a local plane, in metres from its origin.
public struct LocalPoint: Hashable, Sendable, Codable {
    /// Metres to the east of the origin.
    public var eastMeters: Double
    /// Metres to the north of the origin.
    public var northMeters: Double

    private enum CodingKeys: String, CodingKey { case eastMeters, northMeters }

    /// Creates a point from its distances to the east and to the north of the origin.
    public init(eastMeters: Double, northMeters: Double) {
        self.eastMeters = eastMeters
        self.northMeters = northMeters
    }

    /// The origin.
    public static var zero: LocalPoint { LocalPoint(eastMeters: 0, northMeters: 0) }

    /// Returns the point multiplied by a factor; a negative one reverses the direction.
    public func scaled(by factor: Double) -> LocalPoint {
        LocalPoint(eastMeters: eastMeters * factor, northMeters: northMeters * factor)
    }

    /// Adds two offsets.
    public static func + (first: LocalPoint, second: LocalPoint) -> LocalPoint {
        LocalPoint(
            eastMeters: first.eastMeters + second.eastMeters, northMeters: first.northMeters + second.northMeters)
    }

    /// Returns the distance to another point of the same plane, metres.
    @inlinable
    public func distanceMeters(to other: LocalPoint) -> Double {
        let east = other.eastMeters - eastMeters
        let north = other.northMeters - northMeters
        return (east * east + north * north).squareRoot()
    }

    /// Returns the distance to the segment between two points of the same plane, metres.
    public func distanceMeters(toSegmentFrom start: LocalPoint, to end: LocalPoint) -> Double {
        distanceMeters(to: nearest(onSegmentFrom: start, to: end).point)
    }

    /// Returns the nearest point of a segment, and its fraction of the segment: 0 at the start, 1 at the end.
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
/// The map is linear in longitude and latitude, so straight lines stay straight. It is exact at the origin. At a
/// distance `d` and latitude φ the error of the east value is about `d² · tan φ / 6,400 km`: 0.3 m for one kilometre at
/// 60°. Use it for areas of some kilometres below 85°. It handles the antimeridian, but not the poles.
public struct LocalPlane: Hashable, Sendable, Codable {
    /// The point where the plane touches the ellipsoid.
    public let origin: Coordinate
    private let eastMetersPerDegree: Double
    private let northMetersPerDegree: Double

    private enum CodingKeys: String, CodingKey { case origin, eastMetersPerDegree, northMetersPerDegree }

    /// Creates the plane around an origin.
    public init(origin: Coordinate) {
        let scale = WGS84.Scale(latitudeDegrees: origin.latitudeDegrees)
        self.origin = origin
        // At the pole a degree of longitude has no width; a millimetre keeps the inverse defined.
        eastMetersPerDegree = max(scale.eastMetersPerDegree, 1e-3)
        northMetersPerDegree = scale.northMetersPerDegree
    }

    /// Returns a coordinate's point in the plane.
    public func eastNorthMeters(of coordinate: Coordinate) -> LocalPoint {
        let longitude = longitudeDifferenceDegrees(
            from: origin.longitudeDegrees, to: coordinate.longitudeDegrees)
        return LocalPoint(
            eastMeters: longitude * eastMetersPerDegree,
            northMeters: (coordinate.latitudeDegrees - origin.latitudeDegrees) * northMetersPerDegree)
    }

    /// Returns the coordinate of a point of the plane. A latitude beyond a pole is clamped.
    public func coordinate(of point: LocalPoint) -> Coordinate {
        Coordinate(
            clampingLatitudeDegrees: origin.latitudeDegrees + point.northMeters / northMetersPerDegree,
            wrappingLongitudeDegrees: origin.longitudeDegrees + point.eastMeters / eastMetersPerDegree)
    }
}
