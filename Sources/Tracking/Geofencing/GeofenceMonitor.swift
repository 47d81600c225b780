import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Watches a vehicle against the geofences in force.
///
/// The vehicle enters a geofence when several fixes in a row lie inside, and exits when several lie beyond the edge by
/// a margin and their own accuracy. A stationary vehicle is at the robust centre of its stop. A route through a
/// geofence between two fixes, or in less time than certainty takes, is a `CROSS`.
///
/// The set has its own file, so the saved state contains only its identity and the states of single geofences. A loaded
/// monitor ignores positions until the set is attached. A fix allocates memory only for events.
public struct GeofenceMonitor: Sendable {
    /// A loaded state whose set was not attached yet.
    struct Dormant: Equatable, Sendable {
        /// The identity of the set.
        var identity: UInt64
        var states: [SavedGeofenceState]
    }

    var context = GeofenceContext()
    /// The states of the geofences near the vehicle, by slot.
    var states: ContiguousArray<GeofenceState> = []
    /// Nil once the set is attached.
    var dormant: Dormant?
    var track = GeofenceTrack()
    /// Nil while the vehicle's place is certain.
    var doubt: GeofenceDoubt?

    // Working memory.
    private var insideSlots: [ShapeIndex.Slot] = []
    private var candidateSlots: [ShapeIndex.Slot] = []

    /// A monitor without geofences.
    public init() {}

    /// The identity of the set that the states belong to; 0 for none.
    var identity: UInt64 { dormant?.identity ?? context.set.identity }

    // MARK: Positions

    /// Applies a believed position of a moving vehicle.
    /// - Returns: its events: exits first, then by identifier.
    public mutating func process(_ fix: Fix) -> [GeofenceEvent] {
        if let due, due <= fix.timestamp { processDeadlines(at: due) }
        process(GeofencePosition(fix, stationaryCoordinate: nil), isContinuous: true)
        return context.events.take()
    }

    /// Applies a believed position.
    /// - Parameter isContinuous: whether the vehicle can have driven from the last position to this one.
    mutating func process(_ position: GeofencePosition, isContinuous: Bool) {
        let step = track.add(position, isContinuous: isContinuous)
        guard context.set.count > 0 else { return }
        findCandidates(step)
        advanceStates(step)
        startStates(step)
    }

    /// Finds the geofences that contain the position, and those that the route may have touched.
    private mutating func findCandidates(_ step: GeofenceStep) {
        let position = step.position
        candidateSlots.removeAll(keepingCapacity: true)
        guard let previous = step.previous, !position.isStationary else {
            return context.set.index.findContaining(position.effectiveCoordinate, into: &insideSlots)
        }
        context.set.index.findCandidates(from: previous.coordinate, to: position.coordinate, into: &candidateSlots)
        insideSlots.removeAll(keepingCapacity: true)
        var kept = 0
        // By position: a loop over the list itself would retain it, and changing it would copy it.
        for place in candidateSlots.indices {
            let slot = candidateSlots[place]
            if context.set.index.contains(slot, position.coordinate) {
                insideSlots.append(slot)
            } else {
                candidateSlots[kept] = slot
                kept += 1
            }
        }
        candidateSlots.removeLast(candidateSlots.count - kept)
    }

    /// Advances the states; both lists are sorted by slot.
    private mutating func advanceStates(_ step: GeofenceStep) {
        var kept = 0
        var next = 0
        for index in states.indices {
            var state = states[index]
            while next < insideSlots.count, insideSlots[next] < state.slot { next += 1 }
            let isInside = next < insideSlots.count && insideSlots[next] == state.slot
            let sighting = GeofenceSighting(slot: state.slot, isInside: isInside, step: step)
            guard state.advance(sighting, in: &context) else { continue }
            states[kept] = state
            kept += 1
        }
        states.removeLast(states.count - kept)
    }

    /// Adds states of the geofences that have none.
    private mutating func startStates(_ step: GeofenceStep) {
        let known = states.count
        startStates(in: insideSlots, areInside: true, step, known: known)
        startStates(in: candidateSlots, areInside: false, step, known: known)
        if states.count > known, states.count > 1 { states.sort { $0.slot < $1.slot } }
    }

    private mutating func startStates(
        in slots: [ShapeIndex.Slot], areInside: Bool, _ step: GeofenceStep, known: Int
    ) {
        var next = 0
        for slot in slots {
            while next < known, states[next].slot < slot { next += 1 }
            if next < known, states[next].slot == slot { continue }
            let sighting = GeofenceSighting(slot: slot, isInside: areInside, step: step)
            if let state = GeofenceState(sighting, in: &context) { states.append(state) }
        }
    }

    // MARK: Deadlines

    /// A vehicle that moved when last seen is not known to be there after this time, seconds.
    private static let maximumPositionAgeSeconds = 300.0

    /// When the next deadline is; nil for none.
    var due: Timestamp? {
        guard case .known(let last) = track.last else { return nil }
        return states.lazy.compactMap { $0.phase.visit?.due }.filter {
            last.isStationary || $0.seconds(since: last.time) <= Self.maximumPositionAgeSeconds
        }.min()
    }

    /// Does what is due at an instant.
    mutating func processDeadlines(at time: Timestamp) {
        for index in states.indices {
            guard case .inside(var visit) = states[index].phase, let due = visit.due, due <= time else { continue }
            visit.processDeadline(at: time, of: states[index].slot, in: &context)
            states[index].phase = .inside(visit)
        }
    }
}
