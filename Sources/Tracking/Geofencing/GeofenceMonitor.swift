import CivilTime
import Geodesy
import OdographModel

/// Watches a vehicle against the geofences in force.
///
/// A fence is entered when several fixes in a row lie inside, and left when several lie beyond its edge by a margin and
/// their own accuracy; what is told is the interpolated instant at which the way crossed the edge. Who stands is where
/// the robust centre of the stand is, so that a parked receiver's noise makes no event. A way through a fence between
/// two fixes, or in less time than it takes to be certain, is a `CROSS`.
///
/// The set is large and comes from a file of its own, so it is no part of the saved state: that has the set's identity
/// and what is going on with single fences. Loaded again, the monitor sleeps until it is given the set. A fix allocates
/// nothing but where there is something to tell.
///
/// The ``Tracker`` has one. Alone it serves whoever has positions of another kind.
public struct GeofenceMonitor: Sendable {
    /// What is in force.
    var fences = GeofenceSet()
    /// Whose wall clock the schedules of fences are on.
    var zone = ZoneRules.utc
    /// The set that the state is of; 0: none.
    var identity: UInt64 = 0
    /// What is going on, by slot.
    var states: ContiguousArray<GeofenceState> = []
    /// The same of a loaded state whose set is not here yet.
    var pendingStates: [SavedGeofenceState] = []
    /// The last position; nil where nothing is to be known of it.
    var last: LastGeofencePosition?
    var cadence = FixCadence()
    /// Whether nobody has looked for a while, so that the vehicle may be anywhere.
    var hasGap = false
    /// Why a vehicle that has no last position is found inside.
    var initialReason = GeofenceEvent.Reason.started

    /// What is to be told of the last input.
    var pendingEvents: [PendingGeofenceEvent] = []
    // Memory to work in.
    private var insideSlots: [ShapeIndex.Slot] = []
    private var candidateSlots: [ShapeIndex.Slot] = []
    var traversalBuffer = SegmentIntersection()

    /// A monitor without fences.
    public init() {}

    /// Whether the set is here that the state is of.
    var hasMatchingSet: Bool { fences.identity == identity && pendingStates.isEmpty }

    // MARK: Fixes

    /// Takes a position that is believed, of a vehicle that moves.
    /// - Returns: what is told of it: exits first, then by identifier.
    public mutating func process(_ fix: Fix) -> [GeofenceEvent] {
        if let due, due <= fix.timestamp { processDeadlines(at: due) }
        process(GeofencePosition(fix, stationaryCoordinate: nil, isContinuous: true))
        return takeEvents()
    }

    /// Takes a believed position.
    mutating func process(_ sighting: GeofencePosition) {
        let interval = last.map { sighting.time.seconds(since: $0.time) }
        let previous = isLinked(sighting, afterSeconds: interval) ? last : nil
        defer {
            if let interval { cadence.add(intervalSeconds: max(interval, 0)) }
            last = LastGeofencePosition(sighting)
            hasGap = false
        }
        guard fences.count > 0, hasMatchingSet else { return }
        findCandidates(at: sighting, after: previous)
        advanceStates(sighting, previous)
        startStates(sighting, previous)
    }

    /// Whether the way from the last position to this one is known.
    private func isLinked(_ sighting: GeofencePosition, afterSeconds interval: Double?) -> Bool {
        guard let interval, !hasGap, sighting.isContinuous else { return false }
        return interval >= 0 && interval <= cadence.gapSeconds
    }

    /// Finds the fences that hold the place that counts, and those that the way may have touched.
    private mutating func findCandidates(at sighting: GeofencePosition, after previous: LastGeofencePosition?) {
        candidateSlots.removeAll(keepingCapacity: true)
        guard let previous, sighting.stationaryCoordinate == nil else {
            return fences.index.findContaining(sighting.effectiveCoordinate, into: &insideSlots)
        }
        fences.index.findShortSegmentCandidates(from: previous.place, to: sighting.coordinate, into: &candidateSlots)
        insideSlots.removeAll(keepingCapacity: true)
        var kept = 0
        // By position: a loop over the list itself would hold it, and the change of it would copy it.
        for position in candidateSlots.indices {
            let slot = candidateSlots[position]
            if fences.index.contains(slot, sighting.coordinate) {
                insideSlots.append(slot)
            } else {
                candidateSlots[kept] = slot
                kept += 1
            }
        }
        candidateSlots.removeLast(candidateSlots.count - kept)
    }

    /// Moves on what is going on; both lists are by slot.
    private mutating func advanceStates(_ sighting: GeofencePosition, _ previous: LastGeofencePosition?) {
        var kept = 0
        var next = 0
        for index in states.indices {
            let slot = states[index].slot
            while next < insideSlots.count, insideSlots[next] < slot { next += 1 }
            let isInside = next < insideSlots.count && insideSlots[next] == slot
            var watch = states[index]
            guard advance(&watch, isInside: isInside, sighting, previous) else { continue }
            states[kept] = watch
            kept += 1
        }
        states.removeLast(states.count - kept)
    }

    /// Begins to watch the fences that are new.
    private mutating func startStates(_ sighting: GeofencePosition, _ previous: LastGeofencePosition?) {
        let known = states.count
        var next = 0
        for slot in insideSlots {
            while next < known, states[next].slot < slot { next += 1 }
            if next < known, states[next].slot == slot { continue }
            if let watch = makeEntryState(slot, sighting, previous) { states.append(watch) }
        }
        if let previous {
            next = 0
            for slot in candidateSlots {
                while next < known, states[next].slot < slot { next += 1 }
                if next < known, states[next].slot == slot { continue }
                if let watch = makeCrossingState(slot, sighting, previous) { states.append(watch) }
            }
        }
        if states.count > known, states.count > 1 { states.sort { $0.slot < $1.slot } }
    }

    // MARK: The place between two fixes

    /// The instant at which the way between two positions crosses a fence's edge; nil where it does not.
    mutating func crossing(
        of slot: ShapeIndex.Slot, _ sighting: GeofencePosition, after previous: LastGeofencePosition?
    ) -> Timestamp? {
        guard let previous else { return nil }
        return fences.index.edgeFraction(slot, from: previous.place, to: sighting.coordinate, using: &traversalBuffer)
            .map { previous.time.advanced(bySeconds: $0 * sighting.time.seconds(since: previous.time)) }
    }
}
