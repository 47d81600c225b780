import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Copies of a drive at other places, at other times or with fewer fixes.
extension [Fix] {
    /// Returns the fixes with other coordinates and the headings that belong to them.
    /// - Parameters:
    ///   - latitude: The new latitude for a former one, degrees.
    ///   - longitude: The same for the longitude; the result may be up to 360° too large or too small.
    ///   - heading: The same for the heading.
    public func moved(
        latitude: (Double) -> Double = { $0 }, longitude: (Double) -> Double = { $0 },
        heading: (Double) -> Double = { $0 }
    ) -> [Fix] {
        map { fix in
            var copy = fix
            let east = longitude(fix.coordinate.longitudeDegrees)
            // Not a remainder, which would round the digits of a mirrored coordinate.
            let wrapped = east > 180 ? east - 360 : east < -180 ? east + 360 : east
            copy.coordinate =
                Coordinate(latitudeDegrees: latitude(fix.coordinate.latitudeDegrees), longitudeDegrees: wrapped)
                ?? fix.coordinate
            copy.headingDegrees = fix.headingDegrees.map { degrees in
                let turned = heading(degrees)
                return turned < 0 ? turned + 360 : turned >= 360 ? turned - 360 : turned
            }
            return copy
        }
    }

    /// The fixes on the other side of the equator.
    public var mirroredInLatitude: [Fix] { moved(latitude: { -$0 }, heading: { 180 - $0 }) }

    /// The fixes on the other side of the prime meridian.
    public var mirroredInLongitude: [Fix] { moved(longitude: { -$0 }, heading: { 360 - $0 }) }

    /// Returns the fixes at a later date.
    public func delayed(bySeconds seconds: Double) -> [Fix] {
        map { fix in
            var copy = fix
            copy.timestamp = fix.timestamp.advanced(bySeconds: seconds)
            copy.received = ClockReading(replayed: copy.timestamp)
            return copy
        }
    }

    /// Returns the fixes without a share of them, which a seed selects.
    public func thinned(by share: Double, seed: UInt64) -> [Fix] {
        var random = SplitMix64(seed: seed)
        return filter { _ in Double.random(in: 0..<1, using: &random) >= share }
    }

    /// Returns every second fix.
    /// - Parameter isOdd: Whether the second one is the first of them.
    public func everySecond(isOdd: Bool) -> [Fix] {
        enumerated().filter { $0.offset % 2 == (isOdd ? 1 : 0) }.map(\.element)
    }
}
