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
