import CivilTime

/// The geofences that the vehicle is in.
struct SavedGeofenceVisits: Equatable, Sendable, Codable {
    /// The `GeofenceSet.identity` of the set that they are of.
    var identity: UInt64
    var visits: [SavedGeofenceVisit]

    init(_ monitor: GeofenceMonitor) {
        identity = monitor.identity
        visits = monitor.savedStates.filter { $0.phase == .inside }.map(SavedGeofenceVisit.init)
    }
}

/// A visit that lasts.
struct SavedGeofenceVisit: Equatable, Sendable, Codable {
    var identifier: String
    /// `ShapeIndex.fingerprint` of the fence's shape.
    var shape: UInt64
    var entered: Timestamp
    /// Whether it began with being found inside.
    var isInitial: Bool?
    /// Since when the vehicle seems to be outside.
    var left: Timestamp?
    /// When it will have lasted for the loitering delay; absent where that is not told, or has been.
    var dwellDue: Timestamp?
    /// Whether the fence's own schedule is closed, and when that changes.
    var isClosed: Bool?
    var windowChange: Timestamp?
    /// The fence's speed limit, m/s.
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

    init(_ watch: SavedGeofenceState) {
        identifier = watch.identifier
        shape = watch.shape
        entered = watch.enteredAt
        isInitial = watch.isInitial ? true : nil
        left = watch.leftAt
        dwellDue = watch.dwellDue
        isClosed = watch.isOpen ? nil : true
        windowChange = watch.windowChange
        speedLimit = watch.speed?.limitMetersPerSecond
    }

    var geofenceState: SavedGeofenceState {
        var watch = GeofenceState(slot: 0, at: entered)
        watch.phase = .inside
        watch.isInitial = isInitial == true
        watch.leftAt = left
        watch.isOutside = left != nil
        watch.dwellDue = dwellDue
        watch.isScheduleOpen = isClosed != true
        watch.nextScheduleChange = windowChange
        watch.overspeed = speedLimit.map(OverspeedDetector.init(limitMetersPerSecond:))
        return SavedGeofenceState(watch, identifier: identifier, shape: shape)
    }
}

extension GeofenceMonitor {
    /// A monitor that goes on with visits; it sleeps until it is given their set.
    init(_ saved: SavedGeofenceVisits) {
        self.init()
        identity = saved.identity
        pendingStates = saved.visits.map(\.geofenceState)
    }
}
