import CivilTime
import Geodesy

/// The geofences in force reach the tracker beside its inputs: a set is too large for the journal of inputs, and for the
/// saved state.
///
/// Whoever runs the tracker keeps the set in a file. After a state was loaded, the set that it is of
/// (``geofenceIdentity``) is handed over with ``attachGeofences(_:zone:)`` before any journal is replayed. A new set comes
/// with ``replaceGeofences(_:zone:at:)``, and then the state is to be saved whole in the commit that has its records, so
/// that no journal spans two sets; the old file goes when that is done.
extension Tracker {
    /// A tracker that knows nothing yet but what is in force.
    /// - Parameters:
    ///   - configuration: what is in force.
    ///   - seed: 128 random bits that tell the identifiers of its timeline from those of every other tracker.
    ///   - geofences: those in force.
    ///   - zone: whose wall clock the schedules of fences are on.
    public init(
        configuration: TrackingConfiguration = TrackingConfiguration(), seed: (UInt64, UInt64) = (0, 0),
        geofences set: GeofenceSet, zone: ZoneRules
    ) {
        self.init(configuration: configuration, seed: seed)
        // Nothing has happened yet, so it makes no difference when.
        _ = geofences.replace(with: set, zone: zone, at: Timestamp(millisecondsSinceEpoch: 0))
    }

    /// The `GeofenceSet.identity` of the set that the state is of; 0: no geofences.
    public var geofenceIdentity: UInt64 { geofences.identity }

    /// The geofences in force.
    public var activeGeofences: GeofenceSet { geofences.context.set }

    /// The identifiers of the geofences that the vehicle is in, as far as that is certain, ascending; none while
    /// nothing is to be known of them.
    public var geofencesInside: [String] {
        guard !isPrivate else { return [] }
        return geofences.states.compactMap { state in
            state.visit?.window.isOpen == true ? activeGeofences.identifier(state.slot) : nil
        }.sorted()
    }

    /// Gives a loaded state the set that it is of. Until then no fence is watched, and what is known of them is kept.
    /// - Parameter zone: whose wall clock the schedules of fences are on.
    /// - Returns: whether the set is the one that the state is of; if not, nothing has changed, and
    ///   ``replaceGeofences(_:zone:at:)`` makes it the one in force.
    public mutating func attachGeofences(_ set: GeofenceSet, zone: ZoneRules) -> Bool {
        geofences.attach(set, zone: zone)
    }

    /// Another set of geofences is in force from now on.
    ///
    /// A fence of the same identifier and shape goes on as it was. A vehicle inside a fence that is gone leaves it at once;
    /// inside a new one, or one with another shape, it is found with the next fixes.
    /// - Parameter zone: whose wall clock the schedules of fences are on.
    /// - Returns: the records to commit, together with the whole state.
    public mutating func replaceGeofences(
        _ set: GeofenceSet, zone: ZoneRules, at moment: ClockReading
    ) -> [TrackerOutput] {
        var outputs = handle(.tick(moment))
        let now = clock.time(of: moment)
        emit(geofences.replace(with: set, zone: zone, at: now), at: now, into: &outputs)
        reviseVenue(at: now, into: &outputs)
        return outputs
    }

    // MARK: Positions

    /// Where fixes are about a place where the vehicle stands they say nothing against it up to this far beyond their
    /// noise, metres: what multipath in streets shifts a receiver by.
    private static let clearanceMeters = 30.0
    /// From this speed on the receiver says that it moves, m/s.
    private static let movingMetersPerSecond = 1.0

    /// Shows the geofences a believed fix, after the odometer and the timeline have seen it.
    mutating func updateGeofences(_ fix: Fix, hasJumped: Bool) {
        guard !isPrivate, geofences.identity != 0 else { return }
        geofences.process(
            GeofencePosition(fix, stationaryCoordinate: stationaryCoordinate(at: fix)), isContinuous: !hasJumped)
    }

    /// Where the vehicle stands, as the anchor of the odometer knows it, or else the stay of the timeline; nil where it
    /// moves.
    private func stationaryCoordinate(at fix: Fix) -> Coordinate? {
        if let center = odometer.stationaryCenter {
            // The odometer's anchor waits for several fixes; where they come seldom one that is far off will do.
            return geofences.track.cadence.isSparse && isFar(fix, from: center) ? nil : center.coordinate
        }
        guard fix.speedMetersPerSecond.map({ $0 < Self.movingMetersPerSecond }) ?? true,
            let center = timeline.stationaryCenter, !isFar(fix, from: center)
        else { return nil }
        return center.coordinate
    }

    private func isFar(_ fix: Fix, from center: RobustCenter) -> Bool {
        center.coordinate.distanceMeters(to: fix.coordinate) > center.radiusMeters(for: fix) + Self.clearanceMeters
    }

    // MARK: Records

    /// Records what the geofences have to say of a fix.
    mutating func emitGeofenceEvents(for fix: Fix, into outputs: inout [TrackerOutput]) {
        guard !geofences.context.events.isEmpty else { return }
        let age = ageMilliseconds(of: fix, at: fix.received)
        for event in geofences.context.events.take() {
            var location = location(of: fix, cause: .geofence, ageMilliseconds: age)
            location.geofence = event
            emit(location, into: &outputs)
        }
    }

    /// Records what happened at an instant without a fix, at the last known place.
    mutating func emit(_ events: [GeofenceEvent], at time: Timestamp, into outputs: inout [TrackerOutput]) {
        guard let fix = lastFix else { return }
        for event in events {
            var location = location(of: fix, cause: .geofence, at: time)
            location.geofence = event
            emit(location, into: &outputs)
        }
    }

    // MARK: Venues

    /// Records revisions of the timeline, those of stays with the geofence that they are in.
    mutating func emit(_ log: RevisionBatch, into outputs: inout [TrackerOutput]) {
        for event in log.events {
            var event = event
            if case .stationary(var place?) = event.kind, !isPrivate {
                place.venue = activeGeofences.venue(at: place.coordinate)
                event.kind = .stationary(place)
                toldVenue = place.venue?.identifier
            }
            outputs.append(.record(.timeline(event)))
        }
    }

    /// Revises a stay that lasts where it turns out to be in another geofence than was told.
    mutating func reviseVenue(at now: Timestamp, into outputs: inout [TrackerOutput]) {
        guard !isPrivate, !isSuspended, let center = timeline.stationaryCenter,
            activeGeofences.venue(at: center.coordinate)?.identifier != toldVenue
        else { return }
        var log = RevisionBatch(now: now)
        timeline.emitRevision(into: &log)
        emit(log, into: &outputs)
    }
}

extension TripSegmenter {
    /// The centre of the stay that lasts; nil where none does.
    var stationaryCenter: RobustCenter? { open?.phase == .stationary ? stopCenter : nil }
}
