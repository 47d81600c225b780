import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The geofences in force. They are no input, because a set is too large for the input journal and for the saved state.
///
/// The caller keeps the set in a file. It attaches the set of a loaded state (``geofenceIdentity``) before it replays
/// any journal. After a replacement it saves the whole state in the commit of the records, so that no journal spans two
/// sets, and then deletes the old file.
extension Tracker {
    /// A tracker without any state but its geofences.
    /// - Parameters:
    ///   - configuration: the configuration in force.
    ///   - seed: 128 random bits, which make the identifiers of its timeline unique among all trackers.
    ///   - set: the geofences in force.
    ///   - zone: the wall clock of the geofences' schedules.
    public init(
        configuration: TrackingConfiguration = TrackingConfiguration(), seed: (UInt64, UInt64) = (0, 0),
        geofences set: GeofenceSet, zone: ZoneRules
    ) {
        self.init(configuration: configuration, seed: seed)
        // There is no state, so the time makes no difference.
        _ = geofences.replace(with: set, zone: zone, at: Timestamp(millisecondsSinceEpoch: 0))
    }

    /// The `GeofenceSet.identity` of the state's set; 0: no geofences.
    public var geofenceIdentity: UInt64 { geofences.identity }

    /// The geofences in force.
    public var activeGeofences: GeofenceSet { geofences.context.set }

    /// Attaches the set of a loaded state. Until then the geofences are not watched, and their states are kept.
    /// - Parameter zone: the wall clock of the geofences' schedules.
    /// - Returns: whether the set is the state's; if not, nothing has changed, and the set must be replaced.
    public mutating func attachGeofences(_ set: GeofenceSet, zone: ZoneRules) -> Bool {
        geofences.attach(set, zone: zone)
    }

    /// Puts another set of geofences in force, see ``GeofenceMonitor/replace(with:zone:at:)``.
    /// - Parameter zone: the wall clock of the geofences' schedules.
    /// - Returns: the records to commit, together with the whole state.
    public mutating func replaceGeofences(
        _ set: GeofenceSet, zone: ZoneRules, at moment: ClockReading
    ) -> [TrackerOutput] {
        var outputs = handle(.tick(moment))
        let now = agent.clock.time(of: moment)
        emit(geofences.replace(with: set, zone: zone, at: now), at: now, into: &outputs)
        reviseVenue(at: now, into: &outputs)
        return outputs
    }

    // MARK: Positions

    /// The lowest reported speed that means movement, m/s.
    private static let movingMetersPerSecond = 1.0

    /// Applies a believed fix to the geofences, after odometer and timeline.
    mutating func updateGeofences(_ fix: Fix, hasJumped: Bool) {
        guard !isPrivate, geofences.identity != 0 else { return }
        let isEntry = geofences.apply(odometer.belief, at: fix.timestamp)
        geofences.process(
            GeofencePosition(fix, stationaryCoordinate: stationaryCoordinate(at: fix)),
            isContinuous: !hasJumped && !isEntry)
    }

    /// The centre of the stop by the odometer's anchor, else by the timeline; nil while the vehicle moves.
    private func stationaryCoordinate(at fix: Fix) -> Coordinate? {
        if geofences.doubt != nil { return odometer.doubtedCenter?.coordinate }
        if let center = odometer.stationaryCenter {
            // The odometer's anchor waits for several fixes; where they are sparse, one far away suffices.
            return geofences.track.cadence.isSparse && isFar(fix, from: center) ? nil : center.coordinate
        }
        guard fix.speedMetersPerSecond.map({ $0 < Self.movingMetersPerSecond }) ?? true,
            let center = timeline.stationaryCenter, !isFar(fix, from: center)
        else { return nil }
        return center.coordinate
    }

    private func isFar(_ fix: Fix, from center: RobustCenter) -> Bool {
        center.coordinate.distanceMeters(to: fix.coordinate) > center.radiusMeters(for: fix)
            + StopAnchor.clearanceMeters
    }

    // MARK: Records

    /// Records the geofence events of a fix.
    mutating func emitGeofenceEvents(for fix: Fix, into outputs: inout [TrackerOutput]) {
        guard !geofences.context.events.isEmpty else { return }
        let age = ageMilliseconds(of: fix, at: fix.received)
        emit(geofences.takeEvents(), location(of: fix, cause: .geofence, ageMilliseconds: age), into: &outputs)
    }

    /// Records events at an instant without a fix, with the last known position.
    mutating func emit(_ events: [GeofenceEvent], at time: Timestamp, into outputs: inout [TrackerOutput]) {
        guard let fix = lastFix, !events.isEmpty else { return }
        emit(events, location(of: fix, cause: .geofence, at: time), into: &outputs)
    }

    private mutating func emit(
        _ events: [GeofenceEvent], _ location: TrackedLocation, into outputs: inout [TrackerOutput]
    ) {
        for event in events {
            var location = location
            location.geofence = event
            emit(location, into: &outputs)
        }
    }

    // MARK: Venues

    /// Returns an empty batch of revisions by the rules in force.
    func revisionBatch(at now: Timestamp) -> RevisionBatch {
        RevisionBatch(
            now: now, rules: SegmentationRules(configuration), placeInDoubtUntil: odometer.placeInDoubtUntil)
    }

    /// Returns the geofence of a stop; nil also for a place that the vehicle cannot have reached.
    func venue(at place: Coordinate) -> TimelineVenue? {
        odometer.isImplausible(place) ? nil : activeGeofences.venue(at: place)
    }

    /// Revises the open stop where its published geofence is not the one that contains it.
    mutating func reviseVenue(at now: Timestamp, into outputs: inout [TrackerOutput]) {
        guard !isPrivate, !isSuspended, let center = timeline.stationaryCenter,
            venue(at: center.coordinate)?.identifier != recent.venue
        else { return }
        var log = revisionBatch(at: now)
        timeline.events.emitRevision(into: &log)
        emit(log, into: &outputs)
    }
}
