import CivilTime
import Geodesy

/// How a state is kept for its own version and for every other.
extension Tracker {
    /// What must not get lost of the state.
    public var persistentState: TrackerPersistentState {
        var saved = TrackerPersistentState()
        saved.tracking = SavedTrackingState(
            isEnabled: configuration.isEnabled ? nil : false, offSchedule: schedule.rule?.mode,
            tag: schedule.rule?.tag, owesOpening: owesOpening ? true : nil,
            isMoving: motion.state == .unknown ? nil : motion.isMoving,
            parked: motion.parkedPlace.map(SavedCoordinate.init),
            boot: boot, confirmed: filter.confirmedTime?.time, confirmedUptime: filter.confirmedTime?.uptimeMilliseconds
        )
        saved.odometer = SavedOdometer(odometer)
        saved.lastFix = lastFix.map(SavedFix.init)
        saved.timeline = SavedTimeline(timeline, lastFix: lastFix, venue: toldVenue)
        saved.geofences = geofences.identity == 0 ? nil : SavedGeofenceVisits(geofences)
        saved.undated = undated
        return saved
    }

    /// The state in two parts, of which neither repeats what is long in the other.
    public var split: (essentials: TrackerPersistentState, rest: Tracker) {
        var rest = self
        rest.timeline.polyline = WaypointPolyline()
        rest.timeline.endedEvent?.polyline = WaypointPolyline()
        rest.undated = nil
        return (persistentState, rest)
    }

    /// The whole state again, of a ``split`` one's rest.
    public func merged(with essentials: TrackerPersistentState) -> Tracker {
        var whole = self
        whole.timeline.polyline = essentials.timeline?.line ?? WaypointPolyline()
        whole.timeline.endedEvent?.polyline = essentials.timeline?.ended?.line ?? WaypointPolyline()
        whole.undated = essentials.undated
        return whole
    }

    /// A tracker that goes on where another version's was: with what must not get lost, and without what is learnt in
    /// minutes. It is to be told of the geofences next, then of the inputs since, then of
    /// ``resume(after:lastUpdate:quality:seed:)``.
    /// - Parameters:
    ///   - essentials: of the state that was saved.
    ///   - configuration: what is in force. Where tracking was off, or was not, that comes into force by an input.
    ///   - seed: 128 random bits that no tracker before had.
    public init(
        recovering essentials: TrackerPersistentState, configuration: TrackingConfiguration, seed: (UInt64, UInt64)
    ) {
        var configuration = configuration
        configuration.isEnabled = essentials.tracking.isEnabled ?? true
        self.init(configuration: configuration, seed: seed)
        boot = essentials.tracking.boot
        owesOpening = essentials.tracking.owesOpening ?? false
        if let mode = essentials.tracking.offSchedule {
            schedule = .closed(OffScheduleRule(mode: mode, tag: essentials.tracking.tag ?? OffScheduleRule().tag))
        }
        let fix = essentials.lastFix?.fix
        odometer = essentials.odometer?.odometer(after: fix) ?? Odometer()
        undated = essentials.undated
        if let visits = essentials.geofences { geofences = GeofenceMonitor(visits) }
        timeline.recover(essentials.timeline, lastFix: fix, odometerMeters: odometer.totalMeters)
        timeline.applyOffScheduleRule(schedule.rule)
        timeline.vehicle = configuration.timeline.vehicle
        toldVenue = essentials.timeline?.venue
        motion = MotionDetector(essentials.tracking)
        guard let fix else { return }
        clock.observe(fix)
        filter = FixFilter(last: fix, confirmed: essentials.tracking.confirmedTime)
        sampler.markRecorded(fix, at: fix.timestamp)
        geofences.track.last = .known(
            GeofencePosition(fix, stationaryCoordinate: timeline.stationaryCenter?.coordinate))
    }
}

extension SavedTrackingState {
    fileprivate var confirmedTime: (time: Timestamp, uptimeMilliseconds: Int64)? {
        guard let confirmed, let confirmedUptime else { return nil }
        return (confirmed, confirmedUptime)
    }
}

extension MotionDetector {
    fileprivate init(_ saved: SavedTrackingState) {
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
    /// Goes on where another was.
    fileprivate mutating func recover(_ saved: SavedTimeline?, lastFix fix: Fix?, odometerMeters: Double) {
        lastMeters = odometerMeters
        lastFix = saved?.isUnseen == true ? nil : saved?.seen?.fix ?? fix
        lastTime = saved?.seenAt ?? lastFix?.timestamp
        guard let saved else { return }
        lastGapReason = saved.absence
        agentDowntime = saved.pausedUntil.map { AgentDowntime(end: $0) }
        open = saved.event?.openEvent
        endedEvent = saved.ended?.ended
        published = saved.publishedInterval
        departedFrom = saved.left?.coordinate
        lastVehicleMode = saved.lastWheels.flatMap(MovementMode.init(savedName:))
        stopCenter = saved.stay?.center
        polyline = saved.line
        isMoving = open?.phase == .transport
        lastUpdate = saved.lastUpdate
        lastPublished = saved.lastUpdate
    }
}
