import OdographGeodesy

/// Creates the shape of a geofence from its geometry's type, positions and dimensions.
struct ShapeBuilder {
    /// A problem: the place in the feature, the line (nil: that of the geometry) and the reason.
    struct Fault: Error {
        var path: String
        var line: Int?
        var reason: String
    }

    /// The smallest radius, metres: about the error of a good receiver.
    static let minimumRadiusMeters = 5.0
    /// Half a meridian, metres.
    static let maximumMeters = 20_003_931.0
    /// The supported types, ordered by the depth of nested positions.
    static let supportedTypes = ["Point", "LineString", "Polygon", "MultiPolygon"]
    static let unsupportedTypes = ["MultiPoint", "MultiLineString", "GeometryCollection"]

    let type: String
    let positions: NestedPositions
    let radiusMeters: Double?
    let corridorMeters: Double?

    private static let coordinates = "geometry.coordinates"
    private static let coordinateForms = [
        "[longitude, latitude]", "a list of positions, [[longitude, latitude], …]",
        "a list of rings, [[[longitude, latitude], …], …]",
        "a list of polygons, [[[[longitude, latitude], …], …], …]",
    ]

    /// Returns the shape.
    /// - Parameter ignoringDimensions: Whether a dimension may be missing because of another problem. Then only the
    ///   geometry is checked, and the result must not be used.
    /// - Throws: ``Fault`` if there is no valid shape.
    func shape(ignoringDimensions: Bool) throws(Fault) -> Shape {
        guard let place = Self.supportedTypes.firstIndex(of: type) else {
            throw Fault(path: "geometry.type", reason: "\(type) is no geometry")
        }
        if !ignoringDimensions { try checkDimensions() }
        if let empty = positions.firstEmptyArray {
            throw Fault(path: Self.coordinates + empty.path, line: empty.line, reason: "there is no position in it")
        }
        guard positions.depth == place + 1 else {
            throw Fault(
                path: Self.coordinates, reason: "the coordinates of a \(type) are \(Self.coordinateForms[place])")
        }
        switch place {
        case 0:
            let center = positions.points[0]
            return .circle(
                try Self.convertingError { () throws(ShapeError) in
                    try Circle(center: center, radiusMeters: radiusMeters ?? Self.minimumRadiusMeters)
                })
        case 1:
            let path = try path()
            return .corridor(
                try Self.convertingError { () throws(ShapeError) in
                    try Corridor(path: path, halfWidthMeters: corridorMeters ?? 1)
                })
        default:
            let polygons = try polygons()
            return .polygon(try Self.convertingError { () throws(ShapeError) in try Polygon(polygons: polygons) })
        }
    }

    private static func convertingError<Made>(_ make: () throws(ShapeError) -> Made) throws(Fault) -> Made {
        do throws(ShapeError) { return try make() } catch { throw Fault(path: coordinates, reason: "\(error)") }
    }

    private func checkDimensions() throws(Fault) {
        if type == "Point", radiusMeters == nil {
            throw Fault(path: "properties.radius", reason: "a Point needs a radius, metres, at least 5")
        }
        if type == "LineString", corridorMeters == nil {
            throw Fault(path: "properties.corridor", reason: "a LineString needs a corridor, its half width in metres")
        }
        if type != "Point", radiusMeters != nil {
            throw Fault(path: "properties.radius", reason: "only a Point has a radius: take it out")
        }
        if type != "LineString", corridorMeters != nil {
            throw Fault(path: "properties.corridor", reason: "only a LineString has a corridor: take it out")
        }
    }

    // MARK: Lines

    private func path() throws(Fault) -> [Coordinate] {
        let path = Self.withoutRepetitions(positions.points[...])
        guard path.count >= 2 else {
            throw Fault(path: Self.coordinates, reason: "a LineString needs two different positions")
        }
        return path
    }

    private static func withoutRepetitions(_ points: ArraySlice<Coordinate>) -> [Coordinate] {
        var kept: [Coordinate] = []
        kept.reserveCapacity(points.count)
        for point in points where kept.last != point { kept.append(point) }
        return kept
    }

    // MARK: Polygons

    private func polygons() throws(Fault) -> [[[Coordinate]]] {
        var polygons: [[[Coordinate]]] = []
        var list = 0
        for (polygon, groupEnd) in positions.groupEnds.enumerated() {
            let prefix = Self.coordinates + (type == "MultiPolygon" ? "[\(polygon)]" : "")
            polygons.append(try self.polygon(lists: list..<groupEnd, path: prefix))
            list = groupEnd
        }
        return polygons
    }

    private func polygon(lists: Range<Int>, path: String) throws(Fault) -> [[Coordinate]] {
        var rings: [[Coordinate]] = []
        var unwrapped: [UnwrappedRing] = []
        for list in lists {
            let line = positions.listLines[list]
            let start = list == 0 ? 0 : positions.listEnds[list - 1]
            do throws(RingFault.Reason) {
                var points = try Self.ring(positions.points[start..<positions.listEnds[list]])
                var ring = UnwrappedRing(ring: points)
                if let outer = unwrapped.first { ring.move(near: (outer.minX + outer.maxX) / 2) }
                // The right-hand rule of RFC 7946, section 3.1.6.
                if (RingValidator.doubledSignedArea(ring.points) < 0) == (list == lists.lowerBound) { points.reverse() }
                rings.append(points)
                unwrapped.append(ring)
            } catch {
                throw Fault(path: "\(path)[\(list - lists.lowerBound)]", line: line, reason: error.message)
            }
        }
        if let fault = RingValidator(rings: unwrapped).firstFault() {
            throw Fault(
                path: "\(path)[\(fault.ringIndex)]", line: positions.listLines[lists.lowerBound + fault.ringIndex],
                reason: fault.message)
        }
        return rings
    }

    /// Validates a ring of a document: closed, with at least three different positions.
    private static func ring(_ points: ArraySlice<Coordinate>) throws(RingFault.Reason) -> [Coordinate] {
        guard let first = points.first, let last = points.last, points.count >= 4 || first != last else {
            throw RingFault.Reason(message: "a ring needs four positions at least, the last the same as the first")
        }
        guard first == last else {
            throw RingFault.Reason(
                message: "the ring is not closed: repeat its first position at its end, "
                    + "[\(first.longitudeDegrees), \(first.latitudeDegrees)]")
        }
        let ring = withoutRepetitions(points)
        let second = ring.first { $0 != first }
        guard ring.contains(where: { $0 != first && $0 != second }) else {
            throw RingFault.Reason(message: "a ring needs three different positions at least")
        }
        return ring
    }
}

extension RingFault {
    /// The reason why a single ring is wrong.
    struct Reason: Error {
        var message: String
    }

    /// The index of the wrong ring.
    var ringIndex: Int {
        switch self {
        case .crossing(_, let other, _, _), .overlap(_, let other, _, _): other
        case .holeOutside(let hole), .nestedHole(let hole, _): hole
        case .zeroArea(let ring): ring
        case .tooComplex: 0
        }
    }

    /// The problem and the remedy.
    var message: String {
        switch self {
        case .crossing(let ring, let other, let x, let y):
            ring == other
                ? "the ring crosses itself near \(Self.place(x, y)): order its positions along the outline"
                : "\(Self.name(other)) crosses \(Self.name(ring)) near \(Self.place(x, y)): a hole lies within its outer ring"
        case .overlap(let ring, let other, let x, let y):
            ring == other
                ? "the ring runs back over itself near \(Self.place(x, y)): take the detour out"
                : "\(Self.name(other)) runs along \(Self.name(ring)) near \(Self.place(x, y)): leave the hole out of the outline"
        case .holeOutside(let hole):
            "\(Self.name(hole)) lies outside of the outer ring: make it a polygon of its own, or take it out"
        case .nestedHole(let hole, let within):
            "\(Self.name(hole)) lies within \(Self.name(within)): make it a polygon of its own, or take it out"
        case .zeroArea: "the ring has no area: all its positions are on one line"
        case .tooComplex: "too many long edges side by side to tell whether they cross: simplify the outline"
        }
    }

    private static func name(_ ring: Int) -> String { ring == 0 ? "the outer ring" : "hole \(ring)" }

    private static func place(_ x: Double, _ y: Double) -> String {
        let turns = (x / 360).rounded()
        return "[\(shortened(x - turns * 360)), \(shortened(y))]"
    }

    /// Rounds to 10⁻⁶ °, about 0.1 m.
    private static func shortened(_ degrees: Double) -> Double { (degrees * 1e6).rounded() / 1e6 }
}
