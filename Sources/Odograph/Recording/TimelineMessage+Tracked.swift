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
            endDate: event.end, lastUpdateDate: event.lastUpdate,
            duration: event.durationSeconds.rounded(toDecimals: 3, as: .duration)
        )
        tag = event.tag
        withdrawn = event.isWithdrawn ? true : nil
        switch event.kind {
        case .stationary(let place):
            location = place.map(Place.init)
            venue = place?.venue.map {
                Venue(identifier: $0.identifier, name: $0.name, significance: $0.significance)
            }
        case .transport(let transport):
            transportMode = transport.mode.rawValue
            distanceInMeters = transport.distanceMeters.rounded(toDecimals: 1, as: .distance)
            if !transport.waypoints.isEmpty { waypoints = transport.waypoints.map(Waypoint.init) }
        case .offTheGrid(let why): reason = why.rawValue
        case .unknown: break
        }
    }
}

extension TimelineEvent {
    /// The tracker's form of an event that was told; nil where its words are not the tracker's. The way is left out.
    init?(_ told: TimelineEventRevision) {
        guard let id = TimelineEventID(told.eventID), let kind = Kind(told) else { return nil }
        self.init(
            id: id, revision: told.revision, isProvisional: told.isProvisional, kind: kind, start: told.startDate,
            end: told.endDate, lastUpdate: told.lastUpdateDate, tag: told.tag,
            isWithdrawn: told.withdrawn ?? false)
    }
}

extension TimelineEvent.Kind {
    fileprivate init?(_ told: TimelineEventRevision) {
        switch told.type {
        case "STATIONARY":
            let place = told.location.flatMap { place in
                Coordinate(latitudeDegrees: place.latitude, longitudeDegrees: place.longitude).map {
                    TimelinePlace(
                        coordinate: $0, accuracyMeters: place.accuracy,
                        venue: told.venue.map {
                            TimelineVenue(identifier: $0.identifier, name: $0.name, significance: $0.significance)
                        })
                }
            }
            self = .stationary(place)
        case "IN_TRANSPORT":
            let mode = told.transportMode.flatMap(TransportMode.init(rawValue:)) ?? .unknown
            self = .transport(
                TimelineTransport(mode: mode, distanceMeters: told.distanceInMeters ?? 0, waypoints: []))
        case "OFF_THE_GRID": self = .offTheGrid(told.reason.flatMap(OffTheGridReason.init(rawValue:)) ?? .noFix)
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

extension Place {
    fileprivate init(_ place: TimelinePlace) {
        self.init(
            latitude: place.coordinate.latitudeDegrees.rounded(toDecimals: 7),
            longitude: place.coordinate.longitudeDegrees.rounded(toDecimals: 7),
            accuracy: place.accuracyMeters.rounded(toDecimals: 1, as: .accuracy))
    }
}

extension Waypoint {
    fileprivate init(_ point: TimelineWaypoint) {
        self.init(
            latitude: point.coordinate.latitudeDegrees.rounded(toDecimals: 7),
            longitude: point.coordinate.longitudeDegrees.rounded(toDecimals: 7),
            accuracy: point.accuracyMeters?.rounded(toDecimals: 1, as: .accuracy) ?? -1, timestamp: point.timestamp,
            speed: point.speedMetersPerSecond?.rounded(toDecimals: 2, as: .speed) ?? -1)
    }
}
