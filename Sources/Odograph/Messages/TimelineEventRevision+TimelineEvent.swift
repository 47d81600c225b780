import OdographGeodesy
import OdographModel
import OdographStore
import OdographTracking
import OdographWire

extension TimelineEventRevision {
    /// Creates the wire form of a timeline event.
    /// - Parameters:
    ///   - identity: The record's identity in the store.
    ///   - annotations: What the agent adds to the record.
    package init(
        _ event: Disclosed<TimelineEvent>, identity: RecordIdentity?,
        annotations: RecordAnnotations = RecordAnnotations()
    ) {
        self.init(
            eventID: event.id.description, uuid: identity?.uuid.description, epoch: identity?.epoch, seq: identity?.seq,
            revision: event.revision, isProvisional: event.isProvisional, type: event.kind.wireType,
            startDate: event.start,
            endDate: event.end, lastUpdateDate: event.lastUpdate,
            duration: event.durationSeconds.rounded(toDecimals: 3, as: .duration)
        )
        tag = event.tag
        driver = annotations.driver(of: event)
        idleSeconds = event.idleSeconds?.rounded(toDecimals: 0, as: .duration)
        driving = event.driving.map(DrivingTotals.init)
        beacons = event.beacons.flatMap { $0.isEmpty ? nil : $0 }
        isPrivate = event.isOfPrivateTime ? true : nil
        stateLost = annotations.isAfterLoss ? true : nil
        withdrawn = event.isWithdrawn ? true : nil
        switch event.kind {
        case .stationary(let place):
            location = place.map(StopPosition.init)
            distanceInMeters = event.movedWithinPlaceMeters
            venue = place?.venue.map {
                Venue(identifier: $0.identifier, name: $0.name, significance: $0.significance)
            }
        case .transport(let transport):
            transportMode = .init(transport.mode)
            distanceInMeters = transport.distanceMeters.rounded(toDecimals: 1, as: .distance)
            carriedInMeters = event.carriedMeters?.rounded(toDecimals: 1, as: .distance)
            if !transport.waypoints.isEmpty { waypoints = transport.waypoints.map(Waypoint.init) }
        case .offTheGrid(let why):
            reason = .init(why)
            distanceInMeters = event.gapDistance.map { $0.meters.rounded(toDecimals: 1, as: .distance) }
            distanceErrorInMeters = event.gapDistance.map { $0.errorMeters.rounded(toDecimals: 1, as: .distance) }
        case .unknown: distanceInMeters = event.movedWithinPlaceMeters
        }
    }
}

extension TimelineEvent {
    /// The rounded distance within the place of a stop, metres. Nil where it is none.
    fileprivate var movedWithinPlaceMeters: Double? {
        stopMeters.map { $0.rounded(toDecimals: 1, as: .distance) }.flatMap { $0 > 0 ? $0 : nil }
    }
}

extension TimelineEvent {
    /// Creates the tracker's form of a published event, without waypoints. nil if a value is unknown to the tracker.
    package init?(_ published: TimelineEventRevision) {
        guard let id = TimelineEventID(published.eventID), let kind = Kind(published) else { return nil }
        self.init(
            id: id, revision: published.revision, isProvisional: published.isProvisional, kind: kind,
            start: published.startDate,
            end: published.endDate, lastUpdate: published.lastUpdateDate, tag: published.tag,
            isWithdrawn: published.withdrawn ?? false)
        isOfPrivateTime = published.isPrivate ?? false
        idleSeconds = published.idleSeconds
        carriedMeters = published.carriedInMeters
        switch kind {
        case .offTheGrid:
            if let meters = published.distanceInMeters, let error = published.distanceErrorInMeters {
                gapDistance = TimelineGapDistance(meters: meters, errorMeters: error)
            }
        case .stationary, .unknown: stopMeters = published.distanceInMeters
        case .transport: break
        }
    }
}

extension TimelineEvent.Kind {
    fileprivate init?(_ published: TimelineEventRevision) {
        switch published.type {
        case .stationary:
            let place = published.location.flatMap { place in
                Coordinate(latitudeDegrees: place.latitude, longitudeDegrees: place.longitude).map {
                    TimelinePlace(
                        coordinate: $0, accuracyMeters: place.accuracy,
                        venue: published.venue.map {
                            TimelineVenue(identifier: $0.identifier, name: $0.name, significance: $0.significance)
                        })
                }
            }
            self = .stationary(place)
        case .inTransport:
            let mode = published.transportMode.flatMap { TransportMode(rawValue: $0.rawValue) } ?? .unknown
            self = .transport(
                TimelineTransport(mode: mode, distanceMeters: published.distanceInMeters ?? 0, waypoints: []))
        case .offTheGrid:
            self = .offTheGrid(published.reason.flatMap { OffTheGridReason(rawValue: $0.rawValue) } ?? .noFix)
        case .unknown: self = .unknown
        default: return nil
        }
    }

    /// The value on the wire.
    fileprivate var wireType: TimelineEventRevision.Kind {
        switch self {
        case .stationary: .stationary
        case .transport: .inTransport
        case .offTheGrid: .offTheGrid
        case .unknown: .unknown
        }
    }
}

extension StopPosition {
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
