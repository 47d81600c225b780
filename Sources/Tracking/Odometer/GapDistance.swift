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
