/// The transport mode of a trip, as in the wire format.
///
/// Positions alone distinguish walking, running, cycling and driving, and a train by speeds above those on roads. The
/// other modes come from ``TimelineRule/vehicle``.
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
    /// Moving by unknown means.
    case unknown = "UNKNOWN"
}
