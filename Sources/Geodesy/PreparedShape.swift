/// A shape prepared for many queries. ``ShapeIndex`` does the same for many shapes.
public struct PreparedShape: Sendable {
    private let bytes: ContiguousArray<UInt8>

    /// Prepares a shape, in time linear in its number of points.
    public init(_ shape: Shape) {
        bytes = ShapeEncoder.encoded(shape)
    }

    /// Whether a point is inside or on the edge. Edges are stored to a tenth of a millimetre.
    public func contains(_ point: Coordinate) -> Bool {
        Containment.contains(bytes.span.bytes, at: 0, point)
    }

    /// Returns the distance to the edge, metres: negative inside.
    public func signedDistanceMeters(to point: Coordinate) -> Double {
        SignedDistance.meters(bytes.span.bytes, at: 0, point)
    }

    /// Finds the parts of a segment that are inside.
    public func findIntersection(_ passage: inout SegmentIntersection, from start: Coordinate, to end: Coordinate) {
        passage.find(bytes.span.bytes, at: 0, from: start, to: end)
    }
}

/// The distance to the edge of an encoded shape.
enum SignedDistance {
    static func meters(_ bytes: RawSpan, at offset: Int, _ point: Coordinate) -> Double {
        let header = ShapeHeader(bytes, at: offset)
        switch header.kind {
        case .circle:
            let center = Coordinate(uncheckedLatitudeDegrees: header.latitude, longitudeDegrees: header.longitude)
            return center.distanceMeters(to: point) - header.meters
        case .corridor: return BoundaryDistance.meters(bytes, at: offset, point) - header.meters
        case .polygon:
            let distance = BoundaryDistance.meters(bytes, at: offset, point)
            return Containment.contains(bytes, at: offset, point) ? -distance : distance
        }
    }
}
