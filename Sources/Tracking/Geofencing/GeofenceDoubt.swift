import OdographCivilTime
import OdographGeodesy

/// The geofences while it is in doubt whether the vehicle is where the newest positions are.
///
/// An event cannot be withdrawn. So the events at a place in doubt wait, and what was certain before the jump is kept.
/// Where the place proves right, the events are emitted with their times; otherwise the vehicle continues from before.
struct GeofenceDoubt: Equatable, Sendable, Codable {
    /// The states before the jump.
    let states: [SavedGeofenceState]
    /// The positions before the jump.
    let track: GeofenceTrack
    /// The time of the first position after the jump.
    let entry: Timestamp
    /// The events since.
    var events: [GeofenceEvent] = []
}

extension GeofenceMonitor {
    /// Applies what is known about the place of the next position.
    /// - Returns: whether that position is the first one after a jump.
    mutating func apply(_ belief: PlaceBelief, at now: Timestamp) -> Bool {
        switch belief {
        case .certain: restore()
        case .proven(let entry): if doubt?.entry == entry { release(at: now) } else { restore() }
        case .doubted(let entry) where doubt?.entry != entry:
            restore()
            doubt = GeofenceDoubt(states: savedStates, track: track, entry: entry)
            return true
        case .doubted: break
        }
        return false
    }

    /// Continues from before the jump, where the place in doubt was wrong.
    mutating func restore() {
        guard let doubt else { return }
        self.doubt = nil
        track = doubt.track
        if dormant != nil { dormant?.states = doubt.states } else { adopt(doubt.states) }
    }

    /// Releases the events of the place in doubt, which has proven right.
    private mutating func release(at now: Timestamp) {
        guard let doubt else { return }
        self.doubt = nil
        context.events.release(
            doubt.events.map { event in
                var event = event
                event.confirmedAt = max(event.confirmedAt, now)
                return event
            })
    }

    /// Removes the events that are certain, and returns them: exits first, then by identifier.
    mutating func takeEvents() -> [GeofenceEvent] {
        guard doubt != nil else { return context.events.take() }
        doubt?.events += context.events.take()
        return []
    }

    /// The states that are certain.
    var certainStates: [SavedGeofenceState] { doubt?.states ?? savedStates }
}
