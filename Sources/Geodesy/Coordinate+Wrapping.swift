extension Coordinate {
    /// Creates a point from a longitude of −540 to 540, as maps write it beyond the antimeridian.
    package init?(latitudeDegrees: Double, wrappedLongitudeDegrees longitude: Double) {
        guard abs(longitude) <= 540 else { return nil }
        let wrapped = abs(longitude) <= 180 ? longitude : longitude - (longitude / 360).rounded() * 360
        self.init(latitudeDegrees: latitudeDegrees, longitudeDegrees: wrapped)
    }
}
