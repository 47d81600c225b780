import Glibc
public import OdographGeodesy

extension Coordinate {
    /// Returns the point at a distance in a direction along the geodesic. It accesses nothing inside the module of
    /// coordinates, so that the benchmarks can use it too.
    ///
    /// Source: T. Vincenty, "Direct and inverse solutions of geodesics on the ellipsoid with application of nested
    /// equations", Survey Review XXIII 176 (1975), direct formula.
    /// - Parameters:
    ///   - headingDegrees: Degrees from true north; any finite value.
    ///   - distanceMeters: Metres, up to half the Earth's circumference; a negative distance goes backwards.
    /// - Returns: The point, accurate to a millimetre; this point if an argument is not finite.
    public func destination(headingDegrees: Double, distanceMeters: Double) -> Coordinate {
        guard headingDegrees.isFinite, distanceMeters.isFinite, distanceMeters != 0 else { return self }
        let heading = headingDegrees.truncatingRemainder(dividingBy: 360) * radiansPerDegree
        let (sinHeading, cosHeading) = (sin(heading), cos(heading))
        // The reduced latitude.
        let up = (1 - flattening) * sin(latitudeDegrees * radiansPerDegree)
        let out = abs(latitudeDegrees) == 90 ? 0 : cos(latitudeDegrees * radiansPerDegree)
        let (sinU, cosU) = (up / hypot(up, out), out / hypot(up, out))
        let sigma1 = atan2(sinU, cosU * cosHeading)
        let sinAlpha = cosU * sinHeading
        let cosAlphaSquared = max(0, 1 - sinAlpha * sinAlpha)
        let u = cosAlphaSquared * secondEccentricitySquared
        let a = 1 + u / 16384 * (4096 + u * (-768 + u * (320 - 175 * u)))
        let b = u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)))
        let flat = distanceMeters / (polarRadiusMeters * a)
        var sigma = flat
        for _ in 0..<30 {
            let next = flat + excess(sigma, cos(2 * sigma1 + sigma), b)
            let settled = abs(next - sigma) < 1e-13
            sigma = next
            if settled { break }
        }
        let (sinSigma, cosSigma, cosMiddle) = (sin(sigma), cos(sigma), cos(2 * sigma1 + sigma))
        let toPole = sinU * sinSigma - cosU * cosSigma * cosHeading
        let latitude = atan2(
            sinU * cosSigma + cosU * sinSigma * cosHeading, (1 - flattening) * hypot(sinAlpha, toPole))
        let lambda = atan2(sinSigma * sinHeading, cosU * cosSigma - sinU * sinSigma * cosHeading)
        let c = flattening / 16 * cosAlphaSquared * (4 + flattening * (4 - 3 * cosAlphaSquared))
        let inner = cosMiddle + c * cosSigma * (2 * cosMiddle * cosMiddle - 1)
        let longitudeExcess = (1 - c) * flattening * sinAlpha * (sigma + c * sinSigma * inner)
        let longitude = longitudeDegrees + (lambda - longitudeExcess) / radiansPerDegree
        return Coordinate(
            latitudeDegrees: min(90, max(-90, latitude / radiansPerDegree)),
            longitudeDegrees: min(180, max(-180, longitude.remainder(dividingBy: 360)))) ?? self
    }
}

private let flattening = 1 / 298.257223563
private let polarRadiusMeters = 6_378_137.0 * (1 - flattening)
private let eccentricitySquared = flattening * (2 - flattening)
private let secondEccentricitySquared = eccentricitySquared / (1 - eccentricitySquared)
private let radiansPerDegree = Double.pi / 180

/// Returns Δσ of Vincenty's equation (6).
private func excess(_ sigma: Double, _ cosMiddle: Double, _ b: Double) -> Double {
    let square = 2 * cosMiddle * cosMiddle - 1
    let third = b / 6 * cosMiddle * (4 * sin(sigma) * sin(sigma) - 3) * (4 * cosMiddle * cosMiddle - 3)
    return b * sin(sigma) * (cosMiddle + b / 4 * (cos(sigma) * square - third))
}
