import OdographCivilTime

/// The beginning of a visit.
struct GeofenceEntry: Equatable, Sendable, Codable {
    enum Origin: Equatable, Sendable, Codable {
        /// The route crosses the edge.
        case crossed
        /// The vehicle crossed the edge in a gap between positions.
        case moved
        /// The vehicle was found inside; no reason where it was not saved.
        case found(GeofenceEvent.Reason?)
    }

    /// The time of the crossing, or of the first position inside.
    var time: Timestamp
    var origin: Origin

    var isInitial: Bool { if case .found = origin { true } else { false } }

    var reason: GeofenceEvent.Reason? {
        switch origin {
        case .crossed: nil
        case .moved: .moved
        case .found(let reason): reason
        }
    }
}
