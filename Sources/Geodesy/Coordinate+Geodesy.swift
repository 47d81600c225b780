import Glibc

extension Coordinate {
    /// The distance beyond which the geodesic is used instead of the short formulas.
    static let longDistanceMeters = 20_000.0
    /// The latitude beyond which the meridians converge too fast for the short formulas.
    static let highLatitudeDegrees = 80.0

    /// Returns the distance to another point along the ellipsoid, metres.
    ///
    /// Up to 20 km and below 80° of latitude, the result comes from Gauss's middle-latitude formula with the radii of
    /// curvature there; its error is at most 2 × 10⁻⁵ of the distance. Otherwise it comes from the geodesic, with an
    /// error of less than a millimetre (see ``Geodesic`` for nearly antipodal points).
    public func distanceMeters(to other: Coordinate) -> Double {
        if abs(latitudeDegrees) <= Self.highLatitudeDegrees, abs(other.latitudeDegrees) <= Self.highLatitudeDegrees {
            let short = middleLatitudeOffset(to: other)
            let square = short.eastMeters * short.eastMeters + short.northMeters * short.northMeters
            if square <= Self.longDistanceMeters * Self.longDistanceMeters { return square.squareRoot() }
        }
        return Geodesic(from: self, to: other).distanceMeters
    }

    /// Returns the initial direction of the shortest line, degrees from true north, 0 up to 360; 0 for equal points.
    public func initialHeadingDegrees(to other: Coordinate) -> Double {
        if abs(latitudeDegrees) <= Self.highLatitudeDegrees, abs(other.latitudeDegrees) <= Self.highLatitudeDegrees {
            let short = middleLatitudeOffset(to: other)
            if short.eastMeters * short.eastMeters + short.northMeters * short.northMeters
                <= Self.longDistanceMeters * Self.longDistanceMeters
            {
                guard short.eastMeters != 0 || short.northMeters != 0 else { return 0 }
                let middle = atan2(short.eastMeters, short.northMeters) / WGS84.radiansPerDegree
                return normalizedHeadingDegrees(middle - short.convergenceDegrees / 2)
            }
        }
        return normalizedHeadingDegrees(
            Geodesic(from: self, to: other).initialHeadingRadians / WGS84.radiansPerDegree)
    }

    /// Returns the offset to another point at the middle latitude, and the change of heading along the line.
    @inline(__always)
    func middleLatitudeOffset(
        to other: Coordinate
    ) -> (eastMeters: Double, northMeters: Double, convergenceDegrees: Double) {
        let scale = WGS84.Scale(latitudeDegrees: (latitudeDegrees + other.latitudeDegrees) / 2)
        let longitude = longitudeDifferenceDegrees(from: longitudeDegrees, to: other.longitudeDegrees)
        return (
            longitude * scale.eastMetersPerDegree,
            (other.latitudeDegrees - latitudeDegrees) * scale.northMetersPerDegree,
            longitude * scale.latitudeSine
        )
    }

    /// Creates a point from computed values: clamps the latitude to the poles and wraps the longitude. A latitude that
    /// is not a number and a longitude that is not finite count as 0.
    init(clampingLatitudeDegrees latitude: Double, wrappingLongitudeDegrees longitude: Double) {
        var wrapped = longitude.isFinite ? longitude.remainder(dividingBy: 360) : 0
        wrapped = min(180, max(-180, wrapped))
        let clamped = latitude.isNaN ? 0 : min(90, max(-90, latitude))
        self.init(uncheckedLatitudeDegrees: clamped, longitudeDegrees: wrapped)
    }
}

/// Returns the turn between two headings, degrees: above −180, up to 180, positive to the right; 0 if not finite.
public func headingDifferenceDegrees(_ start: Double, _ end: Double) -> Double {
    guard start.isFinite, end.isFinite else { return 0 }
    let turn = (end - start).remainder(dividingBy: 360)
    return turn == -180 ? 180 : turn
}

/// Returns a heading normalized to 0 up to 360 degrees.
func normalizedHeadingDegrees(_ heading: Double) -> Double {
    var result = heading.truncatingRemainder(dividingBy: 360)
    if result < 0 { result += 360 }
    return result >= 360 ? 0 : result
}
