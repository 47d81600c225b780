import OdographModel

/// The limits that every final event of a timeline keeps.
public enum TimelineLimits {
    /// A shorter distance is no movement, metres: the wire format has a resolution of decimetres.
    public static let shortestMovementMeters = 0.5
    /// A trip with a shorter distance is a movement within a place, metres.
    public static let shortestTripMeters = RobustCenter.placeRadiusMeters
}

extension TransportMode {
    /// Returns the largest mean speed of a trip with this mode, m/s.
    ///
    /// A fast walk is 2.5 m/s (Bohannon and Williams 2011). A good runner holds 5.5 m/s over minutes, a cyclist 12
    /// downhill and with a motor.
    /// - Parameter fastest: that of a vehicle.
    public func maximumMetersPerSecond(fastest: Double) -> Double {
        switch self {
        case .walking: 3
        case .running: 6.5
        case .bicycle: 14
        case .car, .bus, .train, .tram, .motorcycle, .unknown: fastest
        }
    }
}
