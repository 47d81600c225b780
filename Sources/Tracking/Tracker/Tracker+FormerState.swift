import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The tracker that continues from a state of a former form.
extension Tracker {
    /// Continues from a state of a former form, without what is learnt again in minutes. The geofences must follow,
    /// then the inputs since, then ``resume(after:lastUpdate:quality:seed:)``.
    /// - Parameters:
    ///   - former: the saved state.
    ///   - configuration: the configuration in force; an input switches tracking on or off later, if that has changed.
    ///   - seed: 128 random bits that no tracker has used before.
    public init(
        recovering former: FormerTrackerState, configuration: TrackingConfiguration, seed: (UInt64, UInt64)
    ) {
        var configuration = configuration
        configuration.isEnabled = former.tracking.isEnabled ?? true
        let fix = former.lastFix?.fix
        let agent = AgentState(recovering: former)
        let odometer = former.odometer?.odometer(after: fix) ?? Odometer()
        var timeline = TripSegmenter(seed: TrackerSeed(first: seed.0, second: seed.1))
        timeline.recover(former.timeline, lastFix: fix, odometerMeters: odometer.totalMeters)
        timeline.applyOffScheduleRule(agent.schedule.rule)
        timeline.events.emitter.vehicle = configuration.timeline.vehicle
        var geofences =
            former.geofences.map { GeofenceMonitor(identity: $0.identity, states: $0.visits.map(\.geofenceState)) }
            ?? GeofenceMonitor()
        var sampler = LocationSampler()
        if let fix {
            sampler.markRecorded(fix, at: fix.timestamp)
            geofences.track.last = .known(
                GeofencePosition(fix, stationaryCoordinate: timeline.stationaryCenter?.coordinate))
        }
        self.init(
            configuration: configuration, agent: agent, recent: RecentState(recovering: former),
            odometer: odometer, timeline: timeline, geofences: geofences, sampler: sampler)
    }
}

extension MotionDetector {
    init(_ former: FormerTrackingState) {
        if let anchor = former.parked?.coordinate {
            self.init(state: .stationary(anchor: anchor))
        } else {
            self.init(state: former.isMoving == true ? .moving : .unknown)
        }
    }
}

extension TripSegmenter {
    /// Continues a timeline of a former form.
    fileprivate mutating func recover(_ former: FormerTimeline?, lastFix fix: Fix?, odometerMeters: Double) {
        events.lastMeters = odometerMeters
        events.lastFix = former?.isUnseen == true ? nil : former?.seen?.fix ?? fix
        events.lastTime = former?.seenAt ?? events.lastFix?.timestamp
        guard let former else { return }
        events.gapEvidence = GapEvidence(
            reason: former.absence, downtime: former.pausedUntil.map { GapEvidence.Downtime(end: $0) })
        events.open = former.openEvent
        events.ended = former.endedEvent
        events.publishedSince = former.toldSince
        published = former.publishedInterval
        events.lastVehicleMode = former.lastWheels.flatMap(MovementMode.init(formerName:))
        events.polyline = former.polyline
        isMoving = events.open?.trip != nil
        events.emitter.lastUpdate = former.lastUpdate
        events.emitter.lastPublished = former.lastUpdate
    }
}
