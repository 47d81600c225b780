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

extension TimelineEvent {
    /// The event of the tracker's timeline that a revision is of, without its waypoints; nil where it is none of this
    /// program's.
    init?(_ revision: TimelineEventRevision) {
        guard let id = TimelineEventID(revision.eventID), let kind = Kind(revision) else { return nil }
        self.init(
            id: id, revision: revision.revision, isProvisional: revision.isProvisional, kind: kind,
            start: revision.startDate, end: revision.endDate, lastUpdate: revision.lastUpdateDate, tag: revision.tag)
    }
}

extension TimelineEvent.Kind {
    fileprivate init?(_ revision: TimelineEventRevision) {
        switch revision.type {
        case "STATIONARY": self = .stationary(TimelinePlace(revision))
        case "IN_TRANSPORT":
            let mode = revision.transportMode.flatMap(TransportMode.init) ?? .unknown
            self = .transport(
                TimelineTransport(mode: mode, distanceMeters: revision.distanceInMeters ?? 0, waypoints: []))
        case "OFF_THE_GRID": self = .offTheGrid(revision.reason.flatMap(OffTheGridReason.init) ?? .noFix)
        case "UNKNOWN": self = .unknown
        default: return nil
        }
    }

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

extension TimelinePlace {
    fileprivate init?(_ revision: TimelineEventRevision) {
        guard let place = revision.location,
            let coordinate = Coordinate(latitudeDegrees: place.latitude, longitudeDegrees: place.longitude)
        else { return nil }
        self.init(
            coordinate: coordinate, accuracyMeters: place.accuracy,
            venue: revision.venue.map {
                TimelineVenue(identifier: $0.identifier, name: $0.name, significance: $0.significance)
            })
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
