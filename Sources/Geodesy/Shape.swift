/// The area of a geofence.
public enum Shape: Hashable, Sendable, Codable {
    /// All points within a distance of a centre.
    case circle(Circle)
    /// One polygon, or several, with holes.
    case polygon(Polygon)
    /// All points within a distance of a line.
    case corridor(Corridor)
}

/// All points within a distance of a centre, measured along the ellipsoid.
public struct Circle: Hashable, Sendable, Codable {
    /// The centre.
    public let center: Coordinate
    /// Radius, metres, above 0, up to half round the Earth.
    public let radiusMeters: Double

    /// - Throws: ``ShapeError`` where the radius is not above 0 and up to 20,003,931 m.
    public init(center: Coordinate, radiusMeters: Double) throws(ShapeError) {
        guard radiusMeters > 0, radiusMeters <= ShapeError.maximumMeters else {
            throw .distanceOutOfRange(meters: radiusMeters)
        }
        self.center = center
        self.radiusMeters = radiusMeters
    }
}

/// One polygon, or several, with holes, as RFC 7946 has them: edges are straight in longitude and latitude, and a point
/// on an edge is inside. Winding does not matter.
///
/// An edge of more than 180° of longitude goes the other way, over the antimeridian (one of exactly 360° goes round
/// along its parallel). A ring that so goes round a pole holds the pole of its hemisphere.
public struct Polygon: Hashable, Sendable, Codable {
    /// For each polygon its outer ring and then its holes. A ring's last point may repeat its first or not.
    public let polygons: [[[Coordinate]]]

    /// - Throws: ``ShapeError`` where there is no polygon, a polygon has no ring, or a ring has fewer than three points.
    public init(polygons: [[[Coordinate]]]) throws(ShapeError) {
        guard !polygons.isEmpty else { throw .noPolygon }
        for (polygon, rings) in polygons.enumerated() {
            guard !rings.isEmpty else { throw .noRing(polygon: polygon) }
            for (ring, points) in rings.enumerated() {
                let isClosed = points.count > 1 && points.first == points.last
                let count = isClosed ? points.count - 1 : points.count
                guard count >= 3 else { throw .tooFewPoints(polygon: polygon, ring: ring, count: count) }
            }
        }
        self.polygons = polygons
    }

    /// One polygon: its outer ring, then its holes.
    public init(rings: [[Coordinate]]) throws(ShapeError) {
        try self.init(polygons: [rings])
    }
}

/// All points within a distance of a line whose parts are straight in longitude and latitude.
public struct Corridor: Hashable, Sendable, Codable {
    /// The line, at least two points.
    public let path: [Coordinate]
    /// How far the corridor reaches to either side, and beyond the ends, metres, above 0.
    public let halfWidthMeters: Double

    /// - Throws: ``ShapeError`` where the line has fewer than two points or the half width is out of range.
    public init(path: [Coordinate], halfWidthMeters: Double) throws(ShapeError) {
        guard path.count >= 2 else { throw .tooFewPoints(polygon: 0, ring: 0, count: path.count) }
        guard halfWidthMeters > 0, halfWidthMeters <= ShapeError.maximumMeters else {
            throw .distanceOutOfRange(meters: halfWidthMeters)
        }
        self.path = path
        self.halfWidthMeters = halfWidthMeters
    }
}

/// Why a shape cannot be.
public enum ShapeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A radius or half width that is not above 0, or reaches more than half round the Earth.
    case distanceOutOfRange(meters: Double)
    /// A polygon set without a polygon.
    case noPolygon
    /// A polygon without its outer ring.
    case noRing(polygon: Int)
    /// A ring of fewer than three points, or a line of fewer than two.
    case tooFewPoints(polygon: Int, ring: Int, count: Int)

    /// Half a meridian, the longest shortest way on the ellipsoid.
    static let maximumMeters = 20_003_931.5

    /// What is wrong, where, and what would be right.
    public var description: String {
        switch self {
        case .distanceOutOfRange(let meters):
            "a radius or half width of \(meters) m: it must be above 0 and at most 20003931 m"
        case .noPolygon: "no polygon: give at least one"
        case .noRing(let polygon): "polygon \(polygon) has no ring: give its outer ring first, then its holes"
        case .tooFewPoints(let polygon, let ring, let count):
            "polygon \(polygon), ring \(ring) has \(count) different points: a ring needs 3, a line 2"
        }
    }
}
