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
    /// Radius, metres, above 0 and up to half a meridian (20,003,931 m).
    public let radiusMeters: Double

    /// Creates a circle.
    /// - Throws: ``ShapeError`` if the radius is out of range.
    public init(center: Coordinate, radiusMeters: Double) throws(ShapeError) {
        guard radiusMeters > 0, radiusMeters <= ShapeError.maximumMeters else {
            throw .distanceOutOfRange(meters: radiusMeters)
        }
        self.center = center
        self.radiusMeters = radiusMeters
    }
}

/// One or more polygons with holes (RFC 7946). Edges are straight in longitude and latitude. A point on an edge is
/// inside. The order of vertices (clockwise or not) does not matter.
///
/// An edge with more than 180° of longitude crosses the antimeridian instead. An edge of exactly 360° goes round the
/// globe along its parallel. A ring that goes round a pole contains the pole of its hemisphere.
public struct Polygon: Hashable, Sendable, Codable {
    /// For each polygon, its outer ring and then its holes. The last point of a ring may repeat the first.
    public let polygons: [[[Coordinate]]]

    /// Creates a set of polygons.
    /// - Throws: ``ShapeError`` if there is no polygon, a polygon has no ring, or a ring has fewer than three points.
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

    /// Creates one polygon from its outer ring and its holes, with the errors of ``init(polygons:)``.
    public init(rings: [[Coordinate]]) throws(ShapeError) {
        try self.init(polygons: [rings])
    }
}

/// All points within a distance of a line whose parts are straight in longitude and latitude.
public struct Corridor: Hashable, Sendable, Codable {
    /// The line, at least two points.
    public let path: [Coordinate]
    /// Half width, metres, above 0. The corridor extends this far to both sides and beyond both ends.
    public let halfWidthMeters: Double

    /// Creates a corridor.
    /// - Throws: ``ShapeError`` if the line has fewer than two points or the half width is out of range.
    public init(path: [Coordinate], halfWidthMeters: Double) throws(ShapeError) {
        guard path.count >= 2 else { throw .tooFewPoints(polygon: 0, ring: 0, count: path.count) }
        guard halfWidthMeters > 0, halfWidthMeters <= ShapeError.maximumMeters else {
            throw .distanceOutOfRange(meters: halfWidthMeters)
        }
        self.path = path
        self.halfWidthMeters = halfWidthMeters
    }
}

/// A reason why a shape is invalid.
public enum ShapeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A radius or half width that is not above 0, or is longer than half a meridian.
    case distanceOutOfRange(meters: Double)
    /// A polygon set without a polygon.
    case noPolygon
    /// A polygon without its outer ring.
    case noRing(polygon: Int)
    /// A ring of fewer than three points, or a line of fewer than two.
    case tooFewPoints(polygon: Int, ring: Int, count: Int)

    /// Half a meridian: the greatest distance between two points on the ellipsoid.
    static let maximumMeters = 20_003_931.5

    /// The problem, its place and the remedy.
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
