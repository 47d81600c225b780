/// A point on the WGS84 ellipsoid.
public struct Coordinate: Hashable, Sendable, Codable {
    /// Degrees north of the equator, −90 to 90.
    public let latitudeDegrees: Double
    /// Degrees east of Greenwich, −180 to 180.
    public let longitudeDegrees: Double

    private enum CodingKeys: String, CodingKey { case latitudeDegrees, longitudeDegrees }

    /// Creates a point.
    /// - Returns: nil if a value is not a number or is out of range.
    public init?(latitudeDegrees: Double, longitudeDegrees: Double) {
        guard (-90.0...90).contains(latitudeDegrees), (-180.0...180).contains(longitudeDegrees) else { return nil }
        self.latitudeDegrees = latitudeDegrees
        self.longitudeDegrees = longitudeDegrees
    }

    /// Creates a point from values that are known to be in range.
    init(uncheckedLatitudeDegrees latitudeDegrees: Double, longitudeDegrees: Double) {
        self.latitudeDegrees = latitudeDegrees
        self.longitudeDegrees = longitudeDegrees
    }
}
