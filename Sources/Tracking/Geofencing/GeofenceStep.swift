import OdographCivilTime
import OdographGeodesy

/// A position and the route to it.
struct GeofenceStep {
    enum Route {
        /// There was no position before; the reason is that of finding the vehicle inside.
        case none(GeofenceEvent.Reason)
        /// There was a gap after the last position.
        case unknown
        case from(GeofencePosition)
    }

    let position: GeofencePosition
    let route: Route
    /// Whether fixes are so far apart that fewer of them must agree.
    let isSparse: Bool

    var time: Timestamp { position.time }

    /// The position at which the route begins; nil where the route is not known.
    var previous: GeofencePosition? { if case .from(let previous) = route { previous } else { nil } }

    /// The speed that the receiver reports, or the mean speed of the route, m/s; nil where neither is known.
    var speedMetersPerSecond: Double? {
        if let speed = position.speedMetersPerSecond { return speed }
        guard !position.isStationary, let previous else { return nil }
        let seconds = time.seconds(since: previous.time)
        return seconds > 0 ? previous.coordinate.distanceMeters(to: position.coordinate) / seconds : nil
    }

    /// How much farther from a geofence a vehicle gets at the least that drives away from it, metres.
    var minimumOutwardMeters: Double {
        guard let previous, let speed = position.speedMetersPerSecond else { return 0 }
        return speed * GeofenceThresholds.minimumOutwardRatio * time.seconds(since: previous.time)
    }
}

/// A position and the route to it, as evidence about one geofence.
struct GeofenceSighting {
    let slot: ShapeIndex.Slot
    /// Whether the position that decides is inside.
    let isInside: Bool
    let step: GeofenceStep

    var position: GeofencePosition { step.position }
    var previous: GeofencePosition? { step.previous }
    var time: Timestamp { step.position.time }
}
