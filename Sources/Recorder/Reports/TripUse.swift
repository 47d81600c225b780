import OdographWire

/// The use of a vehicle, as far as its records tell.
package enum TripUse: Hashable, Comparable, Sendable {
    /// The records have neither a tag nor private time.
    case ordinary
    /// The records have a tag, because the schedule was closed in mode `tag`.
    case tagged(String)
    /// The event was in private time: it has no positions.
    case inPrivateTime

    /// Creates the use of an event. Whether a trip was in private time is known after its end.
    package init(_ event: TimelineEventRevision) {
        if let tag = event.tag {
            self = .tagged(tag)
            return
        }
        switch event.type {
        case .inTransport where event.endDate != nil && event.waypoints == nil: self = .inPrivateTime
        case .stationary where event.location == nil: self = .inPrivateTime
        default: self = .ordinary
        }
    }

    /// The use as a word; empty for ordinary use.
    package var word: String {
        switch self {
        case .ordinary: ""
        case .tagged(let tag): tag
        case .inPrivateTime: "private"
        }
    }
}
