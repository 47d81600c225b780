import OdographCivilTime

/// The visits to geofences that have not ended.
struct SavedGeofenceVisits: Equatable, Sendable, Codable {
    /// The `GeofenceSet.identity` of the geofences' set.
    var identity: UInt64
    var visits: [SavedGeofenceVisit]

    init(_ monitor: GeofenceMonitor) {
        identity = monitor.identity
        visits = monitor.savedStates.compactMap(SavedGeofenceVisit.init)
    }
}

/// A visit that has not ended.
struct SavedGeofenceVisit: Equatable, Sendable, Codable {
    var identifier: String
    /// `ShapeIndex.fingerprint` of the geofence's shape.
    var shape: UInt64
    var entered: Timestamp
    /// Whether the vehicle was found inside.
    var isInitial: Bool?
    /// The time since which the vehicle seems to be outside.
    var left: Timestamp?
    /// When it becomes a dwell; absent where the rule asks for none, or its event was emitted.
    var dwellDue: Timestamp?
    /// Whether the geofence's own schedule is closed, and when that changes.
    var isClosed: Bool?
    var windowChange: Timestamp?
    /// The geofence's speed limit, m/s.
    var speedLimit: Double?

    private enum CodingKeys: String, CodingKey {
        case identifier, shape, entered
        case isInitial = "initial"
        case left
        case dwellDue = "dwell_due"
        case isClosed = "closed"
        case windowChange = "window_change"
        case speedLimit = "speed_limit"
    }

    /// Nil where the state is no visit.
    init?(_ state: SavedGeofenceState) {
        guard let visit = state.phase.visit else { return nil }
        identifier = state.identifier
        shape = state.shape
        entered = visit.entry.time
        isInitial = visit.entry.isInitial ? true : nil
        left = visit.exit?.time
        dwellDue = visit.dwell.due
        isClosed = visit.window.isOpen ? nil : true
        windowChange = visit.window.nextChange
        speedLimit = visit.overspeed?.limitMetersPerSecond
    }

    var geofenceState: SavedGeofenceState {
        let visit = GeofenceVisit(
            entry: GeofenceEntry(time: entered, origin: isInitial == true ? .found(nil) : .crossed),
            window: GeofenceWindow(isOpen: isClosed != true, nextChange: windowChange),
            dwell: DwellTimer(due: dwellDue),
            overspeed: speedLimit.map(OverspeedDetector.init),
            exit: left.map { GeofenceVisit.Exit(time: $0) }, departure: left.map { _ in GeofenceDeparture() })
        return SavedGeofenceState(identifier: identifier, shape: shape, phase: .inside(visit))
    }
}

extension GeofenceMonitor {
    /// A monitor that continues visits; it ignores positions until their set is attached.
    init(_ saved: SavedGeofenceVisits) {
        self.init(identity: saved.identity, states: saved.visits.map(\.geofenceState))
    }
}
