import OdographTracking
import OdographWire

/// The answers to other parts.
extension Recorder {
    private var tracker: Tracker { pipeline.intake.tracker }

    /// The last accepted position, as a location event at the current time. nil in private time.
    var lastLocation: LocationEvent? {
        tracker.currentLocation(at: pipeline.time.now).map {
            LocationEvent($0, identity: nil, annotations: pipeline.intake.annotations)
        }
    }

    /// The accepted locations of the last stationary interval, oldest first. Empty in private time.
    var recentLocations: [LocationEvent] {
        pipeline.intake.recent.locations.map {
            LocationEvent($0, identity: nil, annotations: pipeline.intake.annotations)
        }
    }

    var settings: TrackingSettings { pipeline.intake.settings }
    var isTrackingEnabled: Bool { settings.core.isEnabled }
    /// Whether the vehicle is moving. nil while the schedule is closed in mode `stop` or `private`, and while the
    /// position is lost and the wheels say nothing.
    var isMoving: Bool? { tracker.schedule.recordsPositions ? tracker.isMovingNow : nil }
    var counters: TrackerCounters { tracker.counters }
    var geofences: GeofenceSet { tracker.activeGeofences }
    /// The identifiers of the geofences that contain the vehicle, ascending.
    var geofencesInside: [String] { tracker.geofencesInside.identifiers }

    var odometer: OdometerReading {
        OdometerReading(meters: tracker.odometerMeters, errorMeters: tracker.odometerErrorMeters)
    }

    /// The time since the last record, seconds. nil before the first record of this run.
    var secondsSinceRecord: Double? {
        pipeline.outlets.lastRecordUptimeMilliseconds.map { Double(pipeline.time.uptimeMilliseconds - $0) / 1000 }
    }

    /// The schedule's state and its next ten changes.
    var scheduleReport: ScheduleReport { pipeline.schedule.report(tracker.schedule, at: pipeline.time.now) }

    /// Whether the schedule is open now, and the time is not private.
    var isWithinSchedule: Bool {
        let gate = pipeline.schedule.gate
        return !tracker.isPrivate && gate.schedule.isOpen(at: gate.time(of: pipeline.time.now))
    }

    /// Whether the source provides positions.
    var isPositionAvailable: Bool { sourceMonitor.lastEventUptimeMilliseconds != nil && !hasSourceEnded }
    /// Whether the source has ended.
    var hasSourceEnded: Bool { sourceMonitor.hasEnded }

    /// The state for the stall detector: the source, and the time at which the next commit is or was due, on the
    /// monotonic clock, milliseconds. An answer shows that the store's thread works.
    var pipelineState: (source: SourceMonitor, commitDueMilliseconds: Int64?) {
        (sourceMonitor, pipeline.intake.pending.due(intervalSeconds: settings.commitIntervalSeconds))
    }
}
