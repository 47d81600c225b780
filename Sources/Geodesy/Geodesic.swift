import Glibc

/// The shortest line between two points on the ellipsoid.
///
/// Source: T. Vincenty, "Direct and inverse solutions of geodesics on the ellipsoid with application of nested
/// equations", Survey Review XXIII 176 (1975), accurate to 0.1 mm. The iteration does not converge for nearly antipodal
/// points. No vehicle drives between such points, so the great circle on a sphere is used there: the error of its
/// length is less than 0.6 %.
struct Geodesic {
    let distanceMeters: Double
    /// Direction at the start, radians from north, −π to π.
    let initialHeadingRadians: Double

    init(from start: Coordinate, to end: Coordinate) {
        let u1 = ReducedLatitude(degrees: start.latitudeDegrees)
        let u2 = ReducedLatitude(degrees: end.latitudeDegrees)
        let longitude =
            longitudeDifferenceDegrees(from: start.longitudeDegrees, to: end.longitudeDegrees)
            * WGS84.radiansPerDegree
        self = Self.iterated(u1, u2, longitude) ?? Self.greatCircle(u1, u2, longitude)
    }

    init(distanceMeters: Double, initialHeadingRadians: Double) {
        self.distanceMeters = distanceMeters
        self.initialHeadingRadians = initialHeadingRadians
    }

    /// Returns the great circle on the sphere of the mean radius.
    private static func greatCircle(_ u1: ReducedLatitude, _ u2: ReducedLatitude, _ longitude: Double) -> Geodesic {
        let eastward = u2.cosine * sin(longitude)
        let northward = u1.cosine * u2.sine - u1.sine * u2.cosine * cos(longitude)
        let along = u1.sine * u2.sine + u1.cosine * u2.cosine * cos(longitude)
        return Geodesic(
            distanceMeters: WGS84.meanRadiusMeters * atan2(hypot(eastward, northward), along),
            initialHeadingRadians: atan2(eastward, northward))
    }

    /// Evaluates Vincenty's inverse formula. Nil if it does not converge.
    private static func iterated(_ u1: ReducedLatitude, _ u2: ReducedLatitude, _ longitude: Double) -> Geodesic? {
        var lambda = longitude
        for _ in 0..<60 {
            let sinLambda = sin(lambda)
            let cosLambda = cos(lambda)
            let eastward = u2.cosine * sinLambda
            let northward = u1.cosine * u2.sine - u1.sine * u2.cosine * cosLambda
            let sinSigma = hypot(eastward, northward)
            let cosSigma = u1.sine * u2.sine + u1.cosine * u2.cosine * cosLambda
            if sinSigma == 0 {
                // The points are equal or antipodal.
                return cosSigma > 0 ? Geodesic(distanceMeters: 0, initialHeadingRadians: 0) : nil
            }
            let sigma = atan2(sinSigma, cosSigma)
            let sinAlpha = u1.cosine * u2.cosine * sinLambda / sinSigma
            let cosAlphaSquared = max(0, 1 - sinAlpha * sinAlpha)
            let cosMiddle = cosAlphaSquared > 1e-15 ? cosSigma - 2 * u1.sine * u2.sine / cosAlphaSquared : 0
            let arc = AuxiliaryArc(sigma: sigma, sinSigma: sinSigma, cosSigma: cosSigma, cosMiddle: cosMiddle)
            let next = longitude + arc.longitudeExcess(sinAlpha: sinAlpha, cosAlphaSquared: cosAlphaSquared)
            if abs(next) > .pi { return nil }
            let settled = abs(next - lambda) < 1e-12
            lambda = next
            if settled {
                return Geodesic(
                    distanceMeters: arc.lengthMeters(cosAlphaSquared: cosAlphaSquared),
                    initialHeadingRadians: atan2(eastward, northward))
            }
        }
        return nil
    }
}

/// Sine and cosine of the reduced latitude, which is the latitude on the auxiliary sphere.
struct ReducedLatitude {
    var sine: Double
    var cosine: Double

    init(degrees: Double) {
        let radians = degrees * WGS84.radiansPerDegree
        let up = (1 - WGS84.flattening) * sin(radians)
        let out = abs(degrees) == 90 ? 0 : cos(radians)
        let norm = hypot(up, out)
        sine = up / norm
        cosine = out / norm
    }
}

/// An arc on the auxiliary sphere, with Vincenty's series that map it to the ellipsoid.
struct AuxiliaryArc {
    /// Length of the arc, radians.
    var sigma: Double
    var sinSigma: Double
    var cosSigma: Double
    /// Cosine of twice the angle from the equator crossing to the middle of the arc.
    var cosMiddle: Double

    /// Returns the longitude on the sphere minus that on the ellipsoid, radians: Vincenty's equations (10) and (11).
    func longitudeExcess(sinAlpha: Double, cosAlphaSquared: Double) -> Double {
        let f = WGS84.flattening
        let c = f / 16 * cosAlphaSquared * (4 + f * (4 - 3 * cosAlphaSquared))
        let inner = cosMiddle + c * cosSigma * (2 * cosMiddle * cosMiddle - 1)
        return (1 - c) * f * sinAlpha * (sigma + c * sinSigma * inner)
    }

    /// Returns the length on the ellipsoid, metres: Vincenty's equations (3), (4), (6) and (19).
    func lengthMeters(cosAlphaSquared: Double) -> Double {
        let series = Series(cosAlphaSquared: cosAlphaSquared)
        return WGS84.polarRadiusMeters * series.a * (sigma - excess(series.b))
    }

    /// Returns Δσ of Vincenty's equation (6).
    func excess(_ b: Double) -> Double {
        let square = 2 * cosMiddle * cosMiddle - 1
        let third = b / 6 * cosMiddle * (4 * sinSigma * sinSigma - 3) * (4 * cosMiddle * cosMiddle - 3)
        return b * sinSigma * (cosMiddle + b / 4 * (cosSigma * square - third))
    }

    /// Vincenty's coefficients A and B.
    struct Series {
        let a: Double
        let b: Double

        init(cosAlphaSquared: Double) {
            let u = cosAlphaSquared * WGS84.secondEccentricitySquared
            a = 1 + u / 16384 * (4096 + u * (-768 + u * (320 - 175 * u)))
            b = u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)))
        }
    }
}
