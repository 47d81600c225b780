import Glibc

/// The WGS84 ellipsoid (NIMA TR8350.2): its defining constants and the radii that follow from them.
enum WGS84 {
    /// Equatorial radius, metres.
    static let equatorialRadiusMeters = 6_378_137.0
    static let flattening = 1 / 298.257223563
    /// Polar radius, metres.
    static let polarRadiusMeters = equatorialRadiusMeters * (1 - flattening)

    /// Mean radius, metres.
    static let meanRadiusMeters = (2 * equatorialRadiusMeters + polarRadiusMeters) / 3
    /// First eccentricity, squared.
    static let eccentricitySquared = flattening * (2 - flattening)
    /// Second eccentricity, squared.
    static let secondEccentricitySquared = eccentricitySquared / (1 - eccentricitySquared)
    static let radiansPerDegree = Double.pi / 180

    /// The metres that one degree is worth at a latitude.
    struct Scale {
        /// Metres a degree of longitude, along the parallel.
        let eastMetersPerDegree: Double
        /// Metres a degree of latitude, along the meridian.
        let northMetersPerDegree: Double
        /// Sine of the latitude, which the callers need as well.
        let latitudeSine: Double

        /// The local scale, from the radii of curvature in the prime vertical and in the meridian.
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

/// The shorter way round from one longitude to another, degrees, −180 to 180.
@inline(__always)
func longitudeDifferenceDegrees(from start: Double, to end: Double) -> Double {
    let difference = end - start
    if difference > 180 { return difference - 360 }
    if difference < -180 { return difference + 360 }
    return difference
}
