import OdographModel

/// Positions tell who or what moves; told is by what means.
extension TransportMode {
    /// No road vehicle goes faster for long, m/s: 198 km/h.
    static let maximumRoadMetersPerSecond = 55.0
    /// Cyclists go faster only downhill, m/s: 32 km/h.
    static let maximumCyclingMetersPerSecond = 9.0
    /// Who goes that fast for so long, all in all, is on a train, seconds.
    static let minimumTrainSeconds = 60.0

    /// - Parameter railSeconds: how long it went faster than any road vehicle does, all in all.
    init(movementMode: MovementMode?, railSeconds: Double) {
        switch movementMode {
        case .foot: self = .walking
        case .running: self = .running
        case .bicycle: self = .bicycle
        case .vehicle: self = railSeconds >= Self.minimumTrainSeconds ? .train : .car
        case .some(.stationary), nil: self = .unknown
        }
    }

    /// Who or what moves so; nil where that is not known.
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
