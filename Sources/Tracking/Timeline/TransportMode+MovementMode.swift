import OdographModel

/// Conversions between the transport mode that is published and the movement mode that positions show.
extension TransportMode {
    /// The largest speed of road vehicles over some time, m/s: 198 km/h.
    static let maximumRoadMetersPerSecond = 55.0
    /// The largest speed of cyclists except downhill, m/s: 32 km/h.
    static let maximumCyclingMetersPerSecond = 9.0
    /// The total time above the speed of road vehicles that proves a train, seconds.
    static let minimumTrainSeconds = 60.0

    /// Returns the transport mode of a movement.
    /// - Parameter railSeconds: The total time above the speed of road vehicles.
    init(movementMode: MovementMode?, railSeconds: Double) {
        switch movementMode {
        case .foot: self = .walking
        case .running: self = .running
        case .bicycle: self = .bicycle
        case .vehicle: self = railSeconds >= Self.minimumTrainSeconds ? .train : .car
        case .some(.stationary), nil: self = .unknown
        }
    }

    /// The movement mode. Nil where it is not known.
    var movementMode: MovementMode? {
        switch self {
        case .walking: .foot
        case .running: .running
        case .bicycle: .bicycle
        case .car, .bus, .train, .tram, .motorcycle: .vehicle
        case .unknown: nil
        }
    }
}
