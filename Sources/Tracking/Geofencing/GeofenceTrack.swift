import OdographCivilTime
import OdographGeodesy

/// The last position, and whether the route from it to the next one will be known.
struct GeofenceTrack: Equatable, Sendable, Codable {
    enum Last: Equatable, Sendable, Codable {
        /// No position is known. The next one gives this reason if it is inside a geofence.
        case none(GeofenceEvent.Reason)
        case known(GeofencePosition)
        /// The agent or its tracking was off since, so that the vehicle may be anywhere.
        case interrupted(GeofencePosition)
    }

    var last = Last.none(.started)
    var cadence = FixCadence()

    /// The last position, even if it was interrupted; nil for none.
    var position: GeofencePosition? {
        switch last {
        case .none: nil
        case .known(let position), .interrupted(let position): position
        }
    }

    mutating func interrupt() {
        if case .known(let position) = last { last = .interrupted(position) }
    }

    /// Adds a position.
    /// - Parameter isContinuous: whether the vehicle can have driven from the last position to this one.
    mutating func add(_ position: GeofencePosition, isContinuous: Bool) -> GeofenceStep {
        let interval = self.position.map { position.time.seconds(since: $0.time) }
        let route: GeofenceStep.Route =
            switch last {
            case .none(let reason): .none(reason)
            case .known(let previous) where isContinuous && isLinked(interval ?? -1): .from(previous)
            case .known, .interrupted: .unknown
            }
        let step = GeofenceStep(position: position, route: route, isSparse: cadence.isSparse)
        if let interval { cadence.add(intervalSeconds: max(interval, 0)) }
        last = .known(position)
        return step
    }

    private func isLinked(_ seconds: Double) -> Bool { seconds >= 0 && seconds <= cadence.gapSeconds }
}
