import Glibc

/// The WGS84 ellipsoid (NIMA TR8350.2): its defining constants and the radii that follow from them.
enum WGS84 {
    static let equatorialRadiusMeters = 6_378_137.0
    static let flattening = 1 / 298.257223563
    static let polarRadiusMeters = equatorialRadiusMeters * (1 - flattening)

    static let meanRadiusMeters = (2 * equatorialRadiusMeters + polarRadiusMeters) / 3
    /// First eccentricity, squared.
    static let eccentricitySquared = flattening * (2 - flattening)
    static let secondEccentricitySquared = eccentricitySquared / (1 - eccentricitySquared)
    static let radiansPerDegree = Double.pi / 180

    /// The length of one degree at a latitude.
    struct Scale {
        /// Metres per degree of longitude, along the parallel.
        let eastMetersPerDegree: Double
        /// Metres per degree of latitude, along the meridian.
        let northMetersPerDegree: Double
        /// The sine of the latitude, which callers need too.
        let latitudeSine: Double

        /// Creates the scale from the radii of curvature in the prime vertical and in the meridian.
        @inline(__always)
        init(latitudeDegrees: Double) {
            let sine = sin(latitudeDegrees * radiansPerDegree)
            let cosine = cos(latitudeDegrees * radiansPerDegree)
            let bend = 1 / (1 - eccentricitySquared * sine * sine)
            let primeVertical = equatorialRadiusMeters * bend.squareRoot()
            latitudeSine = sine
            eastMetersPerDegree = primeVertical * cosine * radiansPerDegree
            northMetersPerDegree = primeVertical * (1 - eccentricitySquared) * bend * radiansPerDegree
        }
    }
}

/// Returns the difference of two longitudes the shorter way round, degrees, −180 to 180.
@inline(__always)
func longitudeDifferenceDegrees(from start: Double, to end: Double) -> Double {
    let difference = end - start
    if difference > 180 { return difference - 360 }
    if difference < -180 { return difference + 360 }
    return difference
}
