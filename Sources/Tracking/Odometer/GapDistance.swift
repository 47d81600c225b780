import OdographGeodesy
import OdographModel

/// The estimated distance of a silence: from the last fix before it to the first one after it.
struct GapDistance: Equatable, Sendable, Codable {
    /// The distance, metres: the straight line and the detour of the road.
    var meters: Double
    /// Half the width of the 95 % interval, metres.
    var errorMeters: Double

    /// Returns the distance of two gaps with a single fix between them.
    static func + (first: GapDistance, second: GapDistance) -> GapDistance {
        GapDistance(meters: first.meters + second.meters, errorMeters: first.errorMeters + second.errorMeters)
    }
}

extension GapDistance {
    /// - Parameters:
    ///   - leg: the distance between the fixes.
    ///   - isMeasured: whether the vehicle's own signals measured it.
    init(_ leg: SegmentDistance, from start: Fix, to end: Fix, isMeasured: Bool) {
        let straight = start.coordinate.distanceMeters(to: end.coordinate)
        let noise = max(start.assumedAccuracyMeters, end.assumedAccuracyMeters)
        // Both ends err by up to their accuracy.
        self =
            straight < noise && !isMeasured
            ? GapDistance(meters: 0, errorMeters: straight + leg.errorMeters)
            : GapDistance(meters: leg.meters, errorMeters: leg.errorMeters)
    }
}
