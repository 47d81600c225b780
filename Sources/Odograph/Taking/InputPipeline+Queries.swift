import OdographTracking
import OdographWire

/// The answers to other parts.
extension InputPipeline {
    private var tracker: Tracker { intake.tracker }

    /// The last accepted position, as a location event at the current time. nil in private time.
    var lastLocation: LocationEvent? {
        tracker.currentLocation(at: time.now).map {
            LocationEvent($0, identity: nil, annotations: intake.annotations)
        }
    }

    /// The accepted locations of the last stationary interval, oldest first. Empty in private time.
    var recentLocations: [LocationEvent] {
        intake.recent.locations.map {
            LocationEvent($0, identity: nil, annotations: intake.annotations)
        }
    }

    var settings: TrackingSettings { intake.settings }
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
        outlets.lastRecordUptimeMilliseconds.map { Double(time.uptimeMilliseconds - $0) / 1000 }
    }

    /// The schedule's state and its next ten changes.
    var scheduleReport: ScheduleReport { schedule.report(tracker.schedule, at: time.now) }

    /// Whether the schedule is open now, and the time is not private.
    var isWithinSchedule: Bool {
        let gate = schedule.gate
        return !tracker.isPrivate && gate.schedule.isOpen(at: gate.time(of: time.now))
    }

    /// Whether the source provides positions.
    var isPositionAvailable: Bool { sourceMonitor.lastEventUptimeMilliseconds != nil && !hasSourceEnded }
    /// Whether the source has ended.
    var hasSourceEnded: Bool { sourceMonitor.hasEnded }

    /// Takes samples and returns the best one. nil if no acceptable position arrived in time.
    func currentPosition(samples: Int, timeoutSeconds: Double, isPersisted: Bool) async -> LocationEvent? {
        guard !hasStopped else { return nil }
        let id = outlets.requests.makeID()
        let request = PositionRequest(
            id: id, samples: samples, timeoutSeconds: timeoutSeconds, isPersisted: isPersisted)
        // The tracker's time may be that of a replay that has ended, so the machine's clock limits the wait too.
        let bound = Task { [weak self] in
            try? await Task.sleep(for: .seconds(timeoutSeconds + 1))
            await self?.run { $0.outlets.requests.answer(id, with: nil) }
        }
        defer { bound.cancel() }
        return await withCheckedContinuation { continuation in
            outlets.requests.wait(for: id, continuation)
            process(.positionRequest(request, at: time.now))
        }
    }

    /// Sets the odometer's value.
    func setOdometer(meters: Double) {
        process(.odometer(meters: meters, at: time.now))
        commitSnapshot()
    }

    /// Sets the function that is called after each schedule change, and when the ledger changes.
    func observeSchedule(_ observer: @escaping @Sendable () -> Void) {
        outlets.onReportChange = observer
    }

    /// The state for the stall detector: the source, and the time at which the next commit is or was due, on the
    /// monotonic clock, milliseconds. An answer shows that the store's thread works.
    var pipelineState: (source: SourceMonitor, commitDueMilliseconds: Int64?) {
        (sourceMonitor, intake.pending.due(intervalSeconds: settings.commitIntervalSeconds))
    }
}
