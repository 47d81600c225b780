/// Bounds of the movement of a vehicle that several parts of the tracker share.
enum MovementBounds {
    /// The speed of most high-speed trains, m/s (270 km/h). No road vehicle is faster.
    static let fastestMetersPerSecond = 75.0
    /// A Doppler speed below this counts as stationary, m/s: four standard errors of 0.1 m/s under an open sky.
    static let stationaryMetersPerSecond = 0.4
    /// The time for which the fixes must be far from a stop before the vehicle has left it, seconds.
    static let farConfirmationSeconds = 15.0
}
