import CivilTime

/// The geofence visits in progress.
struct SavedGeofenceVisits: Equatable, Sendable, Codable {
    /// The `GeofenceSet.identity` of their set.
    var identity: UInt64
    var visits: [SavedGeofenceVisit]

    init(_ monitor: GeofenceMonitor) {
        identity = monitor.identity
        visits = monitor.savedStates.filter { $0.phase == .inside }.map(SavedGeofenceVisit.init)
    }
}

/// A visit in progress.
struct SavedGeofenceVisit: Equatable, Sendable, Codable {
    var identifier: String
    /// The `ShapeIndex.fingerprint` of the geofence's shape.
    var shape: UInt64
    var entered: Timestamp
    /// Whether the vehicle was first seen inside, without a crossing.
    var isInitial: Bool?
    /// The time since which the vehicle seems to be outside.
    var left: Timestamp?
    /// The end of the loitering delay; absent if there is none or its event was emitted.
    var dwellDue: Timestamp?
    /// Whether the geofence's own schedule is closed, and the time of its next change.
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
    /// Creates a monitor that continues saved visits; it is inactive until it receives their set.
    init(_ saved: SavedGeofenceVisits) {
        self.init()
        identity = saved.identity
        pendingStates = saved.visits.map(\.geofenceState)
    }
}
