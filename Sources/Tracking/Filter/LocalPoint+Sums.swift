import Geodesy

extension LocalPoint {
    /// The origin of the plane.
    static var zero: LocalPoint { LocalPoint(eastMeters: 0, northMeters: 0) }

    /// As far in the same direction, times a factor.
    func scaled(by factor: Double) -> LocalPoint {
        LocalPoint(eastMeters: eastMeters * factor, northMeters: northMeters * factor)
    }

    static func += (sum: inout LocalPoint, other: LocalPoint) {
        sum.eastMeters += other.eastMeters
        sum.northMeters += other.northMeters
    }
}
