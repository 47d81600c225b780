/// By what means a way was made: the classes of the wire contract.
///
/// Positions alone tell apart who walks, runs, cycles and drives, and a train by a speed that no road allows. The other
/// classes are told where ``TimelineRule/vehicle`` says so.
public enum TransportMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// A road vehicle.
    case car = "CAR"
    /// A bus.
    case bus = "BUS"
    /// A train.
    case train = "TRAIN"
    /// A tram.
    case tram = "TRAM"
    /// A motorcycle.
    case motorcycle = "MOTORCYCLE"
    /// A bicycle.
    case bicycle = "BICYCLE"
    /// On foot at a walk.
    case walking = "WALKING"
    /// On foot at a run.
    case running = "RUNNING"
    /// Moving, but how is not known.
    case unknown = "UNKNOWN"
}
