extension Coordinate {
    /// Takes a longitude of up to a turn and a half to either side, as maps that run on over the antimeridian write it.
    package init?(latitudeDegrees: Double, wrappedLongitudeDegrees longitude: Double) {
        guard abs(longitude) <= 540 else { return nil }
        let wrapped = abs(longitude) <= 180 ? longitude : longitude - (longitude / 360).rounded() * 360
        self.init(latitudeDegrees: latitudeDegrees, longitudeDegrees: wrapped)
    }
}
