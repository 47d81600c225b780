import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The conversions of a state for its own version and for every other.
extension Tracker {
    /// The part of the state that every later version can read.
    public var persistentState: TrackerPersistentState {
        let confirmed = recent.filter.confirmedTime
        return TrackerPersistentState(
            tracking: SavedTrackingState(
                isEnabled: configuration.isEnabled ? nil : false, offSchedule: schedule.rule?.mode,
                tag: schedule.rule?.tag, owesOpening: agent.owesOpening ? true : nil,
                isMoving: recent.motion.state == .unknown ? nil : isMoving,
                parked: recent.motion.parkedPlace.map(SavedCoordinate.init), boot: agent.boot,
                confirmed: confirmed?.time, confirmedUptime: confirmed?.uptimeMilliseconds),
            odometer: SavedOdometer(odometer), lastFix: lastFix.map(SavedFix.init),
            timeline: SavedTimeline(timeline, lastFix: lastFix, venue: recent.venue),
            geofences: geofences.identity == 0 ? nil : SavedGeofenceVisits(geofences),
            undated: hasUndatedFixes ? recent.undated : nil)
    }

    /// The state in two parts, neither of which repeats a long value of the other.
    public var split: (essentials: TrackerPersistentState, rest: Tracker) {
        var rest = self
        rest.timeline.events.polyline = WaypointPolyline()
        rest.timeline.events.ended?.polyline = WaypointPolyline()
        rest.recent.undated = UndatedFixQueue()
        return (persistentState, rest)
    }

    /// Returns the whole state from the two parts of a ``split`` one.
    public func merged(with essentials: TrackerPersistentState) -> Tracker {
        var whole = self
        whole.timeline.events.polyline = essentials.timeline?.line ?? WaypointPolyline()
        whole.timeline.events.ended?.polyline = essentials.timeline?.ended?.line ?? WaypointPolyline()
        whole.recent.undated = essentials.undated ?? UndatedFixQueue()
        return whole
    }

    /// Continues from another version's state, without what is learnt again in minutes. The geofences must follow, then
    /// the inputs since, then ``resume(after:lastUpdate:quality:seed:)``.
    /// - Parameters:
    ///   - essentials: the saved state.
    ///   - configuration: the configuration in force; an input switches tracking on or off later, if that has changed.
    ///   - seed: 128 random bits that no tracker has used before.
    public init(
        recovering essentials: TrackerPersistentState, configuration: TrackingConfiguration, seed: (UInt64, UInt64)
    ) {
        var configuration = configuration
        configuration.isEnabled = essentials.tracking.isEnabled ?? true
        let fix = essentials.lastFix?.fix
        let agent = AgentState(recovering: essentials)
        let odometer = essentials.odometer?.odometer(after: fix) ?? Odometer()
        var timeline = TripSegmenter(seed: TrackerSeed(first: seed.0, second: seed.1))
        timeline.recover(essentials.timeline, lastFix: fix, odometerMeters: odometer.totalMeters)
        timeline.applyOffScheduleRule(agent.schedule.rule)
        timeline.events.emitter.vehicle = configuration.timeline.vehicle
        var geofences = essentials.geofences.map { GeofenceMonitor($0) } ?? GeofenceMonitor()
        var sampler = LocationSampler()
        if let fix {
            sampler.markRecorded(fix, at: fix.timestamp)
            geofences.track.last = .known(
                GeofencePosition(fix, stationaryCoordinate: timeline.stationaryCenter?.coordinate))
        }
        self.init(
            configuration: configuration, agent: agent, recent: RecentState(recovering: essentials),
            odometer: odometer, timeline: timeline, geofences: geofences, sampler: sampler)
    }
}

extension SavedTrackingState {
    var confirmedTime: (time: Timestamp, uptimeMilliseconds: Int64)? {
        guard let confirmed, let confirmedUptime else { return nil }
        return (confirmed, confirmedUptime)
    }
}

extension MotionDetector {
    init(_ saved: SavedTrackingState) {
        if let anchor = saved.parked?.coordinate {
            self.init(state: .stationary(anchor: anchor))
        } else {
            self.init(state: saved.isMoving == true ? .moving : .unknown)
        }
    }

    fileprivate var parkedPlace: Coordinate? {
        if case .stationary(let anchor) = state { anchor } else { nil }
    }
}

extension TripSegmenter {
    /// Continues a saved timeline.
    fileprivate mutating func recover(_ saved: SavedTimeline?, lastFix fix: Fix?, odometerMeters: Double) {
        events.lastMeters = odometerMeters
        events.lastFix = saved?.isUnseen == true ? nil : saved?.seen?.fix ?? fix
        events.lastTime = saved?.seenAt ?? events.lastFix?.timestamp
        guard let saved else { return }
        events.gapEvidence = GapEvidence(
            reason: saved.absence, downtime: saved.pausedUntil.map { GapEvidence.Downtime(end: $0) })
        events.open = saved.openEvent
        events.ended = saved.endedEvent
        events.publishedSince = saved.toldSince
        published = saved.publishedInterval
        events.lastVehicleMode = saved.lastWheels.flatMap(MovementMode.init(savedName:))
        events.polyline = saved.line
        isMoving = events.open?.trip != nil
        events.emitter.lastUpdate = saved.lastUpdate
        events.emitter.lastPublished = saved.lastUpdate
    }
}
