import Geodesy
import Store
import Tracking
import Wire

extension TimelineEventRevision {
    /// The wire's form of an event of the tracker's timeline.
    /// - Parameter identity: what the store gave it.
    init(_ event: TimelineEvent, identity: RecordIdentity?) {
        self.init(
            eventID: event.id.description, uuid: identity?.uuid.description, epoch: identity?.epoch, seq: identity?.seq,
            revision: event.revision, isProvisional: event.isProvisional, type: event.kind.word, startDate: event.start,
            endDate: event.end, lastUpdateDate: event.lastUpdate, duration: event.durationSeconds.rounded(toDecimals: 3)
        )
        tag = event.tag
        switch event.kind {
        case .stationary(let place):
            location = place.map(Place.init)
            venue = place?.venue.map {
                Venue(identifier: $0.identifier, name: $0.name, significance: $0.significance)
            }
        case .transport(let transport):
            transportMode = transport.mode.rawValue
            distanceInMeters = transport.distanceMeters.rounded(toDecimals: 1)
            if !transport.waypoints.isEmpty { waypoints = transport.waypoints.map(Waypoint.init) }
        case .offTheGrid(let why): reason = why.rawValue
        case .unknown: break
        }
    }
}

extension TimelineEvent.Kind {
    /// The word of the wire.
    fileprivate var word: String {
        switch self {
        case .stationary: "STATIONARY"
        case .transport: "IN_TRANSPORT"
        case .offTheGrid: "OFF_THE_GRID"
        case .unknown: "UNKNOWN"
        }
    }
}

extension Place {
    fileprivate init(_ place: TimelinePlace) {
        self.init(
            latitude: place.coordinate.latitudeDegrees.rounded(toDecimals: 7),
            longitude: place.coordinate.longitudeDegrees.rounded(toDecimals: 7),
            accuracy: place.accuracyMeters.rounded(toDecimals: 1))
    }
}

extension Waypoint {
    fileprivate init(_ point: TimelineWaypoint) {
        self.init(
            latitude: point.coordinate.latitudeDegrees.rounded(toDecimals: 7),
            longitude: point.coordinate.longitudeDegrees.rounded(toDecimals: 7),
            accuracy: point.accuracyMeters?.rounded(toDecimals: 1) ?? -1, timestamp: point.timestamp,
            speed: point.speedMetersPerSecond?.rounded(toDecimals: 2) ?? -1)
    }
}
