import Glibc

/// The inverse problem for two points nearly opposite each other: the heading at the first is sought by bisection, so
/// that its geodesic meets the second's latitude at the second's longitude. With the points put in Karney's order (the
/// first the farther from the equator, and south of it, the second to its east) the longitude met grows with the
/// heading, so there is one root.
struct NearlyAntipodal {
    private var first: ReducedLatitude
    private var second: ReducedLatitude
    private let longitude: Double
    private let isSwapped: Bool
    private let isMirrored: Bool
    private let isWestward: Bool

    init(_ start: ReducedLatitude, _ end: ReducedLatitude, _ longitude: Double) {
        isSwapped = abs(start.sine) < abs(end.sine)
        first = isSwapped ? end : start
        second = isSwapped ? start : end
        isMirrored = first.sine > 0
        if isMirrored {
            first.sine = -first.sine
            second.sine = -second.sine
        }
        // A first point on the equator itself would leave the second's heading undefined: Karney's nudge.
        if first.sine > -1e-150 { first.sine = -1e-150 }
        isWestward = longitude < 0
        self.longitude = abs(longitude)
    }

    /// The geodesic from the start to the end as they were given.
    func solved() -> Geodesic {
        var low = 0.0
        var high = Double.pi
        for _ in 0..<64 {
            let middle = (low + high) / 2
            if reach(middle).longitude < longitude { low = middle } else { high = middle }
        }
        let heading = (low + high) / 2
        let way = reach(heading)
        return Geodesic(
            distanceMeters: way.lengthMeters,
            initialHeadingRadians: original(heading, final: way.finalHeading))
    }

    /// What a geodesic from the first point meets at the second's latitude, going north there.
    private func reach(_ heading: Double) -> (longitude: Double, lengthMeters: Double, finalHeading: Double) {
        let sinStart = sin(heading)
        let cosStart = cos(heading)
        let sinAlpha = sinStart * first.cosine
        let cosAlphaSquared = max(0, 1 - sinAlpha * sinAlpha)
        // Clairaut: cos²β2 − sin²α0, written so that it does not cancel (Karney 2013, eq. 45).
        let cosEndTimesCosine =
            (pow(cosStart * first.cosine, 2) + (second.cosine - first.cosine) * (second.cosine + first.cosine))
            .clamped().squareRoot()
        let sigma1 = atan2(first.sine, cosStart * first.cosine)
        let sigma2 = atan2(second.sine, cosEndTimesCosine)
        let omega1 = atan2(sinAlpha * first.sine, cosStart * first.cosine)
        let omega2 = atan2(sinAlpha * second.sine, cosEndTimesCosine)
        let sigma = sigma2 - sigma1
        let arc = Arc(
            sigma: sigma, sinSigma: sin(sigma), cosSigma: cos(sigma), cosMiddle: cos(sigma1 + sigma2))
        let excess = arc.longitudeExcess(sinAlpha: sinAlpha, cosAlphaSquared: cosAlphaSquared)
        return (
            omega2 - omega1 - excess, arc.lengthMeters(cosAlphaSquared: cosAlphaSquared),
            atan2(sinAlpha, cosEndTimesCosine)
        )
    }

    private func original(_ heading: Double, final: Double) -> Double {
        var result = isSwapped ? final : heading
        // Swapping turns the way round, mirroring turns it over: one of the two alone reverses north and south.
        if isSwapped != isMirrored { result = .pi - result }
        return isWestward ? -result : result
    }
}

extension Double {
    /// The value, or 0 where rounding took it below.
    fileprivate func clamped() -> Double { self > 0 ? self : 0 }
}
