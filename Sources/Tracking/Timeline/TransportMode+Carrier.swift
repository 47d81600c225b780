/// Positions tell who or what moves; told is by what means.
extension TransportMode {
    /// No road vehicle goes faster for long, m/s: 198 km/h.
    static let roadLimitMetersPerSecond = 55.0
    /// Cyclists go faster only downhill, m/s: 32 km/h.
    static let cycleLimitMetersPerSecond = 9.0
    /// Who goes that fast for so long, all in all, is on a train, seconds.
    static let leastRailSeconds = 60.0

    /// - Parameter railSeconds: how long it went faster than any road vehicle does, all in all.
    init(carrier: Carrier?, railSeconds: Double) {
        switch carrier {
        case .foot: self = .walking
        case .running: self = .running
        case .bicycle: self = .bicycle
        case .vehicle: self = railSeconds >= Self.leastRailSeconds ? .train : .car
        case .some(.none), nil: self = .unknown
        }
    }

    /// Who or what moves so; nil where that is not known.
    var carrier: Carrier? {
        switch self {
        case .walking: .foot
        case .running: .running
        case .bicycle: .bicycle
        case .car, .bus, .train, .tram, .motorcycle: .vehicle
        case .unknown: nil
        }
    }
}
