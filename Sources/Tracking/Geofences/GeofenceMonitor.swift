import CivilTime
import Geodesy

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
    var watches: ContiguousArray<FenceWatch> = []
    /// The same of a loaded state whose set is not here yet.
    var sleeping: [SavedWatch] = []
    /// The last position; nil where nothing is to be known of it.
    var last: LastSighting?
    var cadence = FixCadence()
    /// Whether nobody has looked for a while, so that the vehicle may be anywhere.
    var isBlind = false
    /// Why a vehicle that has no last position is found inside.
    var firstReason = GeofenceEvent.Reason.started

    /// What is to be told of the last input.
    var notices: [GeofenceNotice] = []
    // Memory to work in.
    private var inside: [FenceIndex.Slot] = []
    private var along: [FenceIndex.Slot] = []
    var passage = Passage()

    /// A monitor without fences.
    public init() {}

    /// Whether the set is here that the state is of.
    var isAwake: Bool { fences.identity == identity && sleeping.isEmpty }

    // MARK: Fixes

    /// Takes a position that is believed, of a vehicle that moves.
    /// - Returns: what is told of it: exits first, then by identifier.
    public mutating func watch(_ fix: Fix) -> [GeofenceEvent] {
        if let due, due <= fix.timestamp { fallDue(at: due) }
        take(GeofenceSighting(fix, stand: nil, isContinuous: true))
        return takeEvents()
    }

    /// Takes a believed position.
    mutating func take(_ sighting: GeofenceSighting) {
        let interval = last.map { sighting.time.seconds(since: $0.time) }
        let previous = isLinked(sighting, afterSeconds: interval) ? last : nil
        defer {
            if let interval { cadence.note(intervalSeconds: max(interval, 0)) }
            last = LastSighting(sighting)
            isBlind = false
        }
        guard fences.count > 0, isAwake else { return }
        look(at: sighting, after: previous)
        advanceWatches(sighting, previous)
        startWatches(sighting, previous)
    }

    /// Whether the way from the last position to this one is known.
    private func isLinked(_ sighting: GeofenceSighting, afterSeconds interval: Double?) -> Bool {
        guard let interval, !isBlind, sighting.isContinuous else { return false }
        return interval >= 0 && interval <= cadence.gapSeconds
    }

    /// Finds the fences that hold the place that counts, and those that the way may have touched.
    private mutating func look(at sighting: GeofenceSighting, after previous: LastSighting?) {
        along.removeAll(keepingCapacity: true)
        guard let previous, sighting.stand == nil else {
            return fences.index.findContaining(sighting.evidence, into: &inside)
        }
        fences.index.findAlong(from: previous.place, to: sighting.place, into: &along)
        inside.removeAll(keepingCapacity: true)
        var kept = 0
        // By position: a loop over the list itself would hold it, and the change of it would copy it.
        for position in along.indices {
            let slot = along[position]
            if fences.index.contains(slot, sighting.place) {
                inside.append(slot)
            } else {
                along[kept] = slot
                kept += 1
            }
        }
        along.removeLast(along.count - kept)
    }

    /// Moves on what is going on; both lists are by slot.
    private mutating func advanceWatches(_ sighting: GeofenceSighting, _ previous: LastSighting?) {
        var kept = 0
        var next = 0
        for index in watches.indices {
            let slot = watches[index].slot
            while next < inside.count, inside[next] < slot { next += 1 }
            let isInside = next < inside.count && inside[next] == slot
            var watch = watches[index]
            guard advance(&watch, isInside: isInside, sighting, previous) else { continue }
            watches[kept] = watch
            kept += 1
        }
        watches.removeLast(watches.count - kept)
    }

    /// Begins to watch the fences that are new.
    private mutating func startWatches(_ sighting: GeofenceSighting, _ previous: LastSighting?) {
        let known = watches.count
        var next = 0
        for slot in inside {
            while next < known, watches[next].slot < slot { next += 1 }
            if next < known, watches[next].slot == slot { continue }
            if let watch = entering(slot, sighting, previous) { watches.append(watch) }
        }
        if let previous {
            next = 0
            for slot in along {
                while next < known, watches[next].slot < slot { next += 1 }
                if next < known, watches[next].slot == slot { continue }
                if let watch = passing(slot, sighting, previous) { watches.append(watch) }
            }
        }
        if watches.count > known, watches.count > 1 { watches.sort { $0.slot < $1.slot } }
    }

    // MARK: The place between two fixes

    /// The instant at which the way between two positions crosses a fence's edge; nil where it does not.
    mutating func crossing(
        of slot: FenceIndex.Slot, _ sighting: GeofenceSighting, after previous: LastSighting?
    ) -> Timestamp? {
        guard let previous else { return nil }
        return fences.index.edgeShare(slot, from: previous.place, to: sighting.place, using: &passage)
            .map { previous.time.advanced(bySeconds: $0 * sighting.time.seconds(since: previous.time)) }
    }
}
