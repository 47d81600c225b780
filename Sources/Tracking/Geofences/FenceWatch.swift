import CivilTime
import Geodesy

/// What is going on between the vehicle and one fence: it may be about to enter, is inside, or has just gone through.
struct FenceWatch: Equatable, Sendable {
    /// How far it is.
    enum Phase: UInt8, Hashable, Sendable, Codable {
        /// Fixes are inside, and it is not certain yet.
        case entering
        /// A visit.
        case inside
        /// Went through in less than it takes to be certain of having entered.
        case passing
        /// Went through and came back at once: noise, which is not to begin anew with its way back.
        case returned
    }

    /// The fence.
    var slot: FenceIndex.Slot
    var phase = Phase.entering
    /// So many fixes in a row say that the next change has come…
    var count = 0
    /// …since this one.
    var since: Timestamp
    /// Since when all fixes have been beyond the margin of a fence that is about to be left.
    var beyondSince: Timestamp?
    /// When the edge was crossed inwards, or the vehicle found inside.
    var enteredAt: Timestamp
    /// Whether it was found inside.
    var isInitial = false
    /// Why there was no crossing to be seen.
    var enterReason: GeofenceEvent.Reason?
    /// When the edge was last crossed outwards by fixes that have stayed outside since.
    var leftAt: Timestamp?
    var leftReason: GeofenceEvent.Reason?
    /// Whether the last position that counted was outside.
    var isOutside = false
    /// When the visit will have lasted for the loitering delay; nil where that is not told, or has been.
    var dwellDue: Timestamp?
    /// Whether the fence's schedule is open.
    var isOpen = true
    /// When the fence's schedule opens or closes next.
    var windowChange: Timestamp?
    /// The speed limit, where there is one.
    var speed: SpeedWatch?

    init(slot: FenceIndex.Slot, at time: Timestamp) {
        self.slot = slot
        since = time
        enteredAt = time
    }

    /// One more fix says that the change has come.
    mutating func agree(at time: Timestamp, isSeldom: Bool) -> Agreement {
        if count == 0 { since = time }
        count += 1
        return Agreement(count: count, seconds: time.seconds(since: since), isSeldom: isSeldom)
    }

    /// When something falls due by itself.
    var due: Timestamp? {
        guard phase == .inside else { return nil }
        guard let dwell = dwellDue, !isHeld(dwell) else { return windowChange }
        return min(dwell, windowChange ?? dwell)
    }

    /// Whether it may have left before it was due.
    private func isHeld(_ dwell: Timestamp) -> Bool {
        !isOpen || isOutside && (leftAt.map { $0 < dwell } ?? true)
    }
}

/// Something to tell of a fence; the fence's own words are put to it when it is told.
struct GeofenceNotice: Equatable {
    var slot: FenceIndex.Slot
    var action: GeofenceEvent.Action
    var occurredAt: Timestamp
    var confirmedAt: Timestamp
    var isInitial = false
    var reason: GeofenceEvent.Reason?
    var exitedAt: Timestamp?
    var dwellSeconds: Double?
    var peakSpeedMetersPerSecond: Double?
    var durationSeconds: Double?
}
