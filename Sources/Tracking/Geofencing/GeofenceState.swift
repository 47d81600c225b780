import CivilTime
import Geodesy

/// What is going on between the vehicle and one fence: it may be about to enter, is inside, or has just gone through.
struct GeofenceState: Equatable, Sendable {
    /// How far it is.
    enum Phase: UInt8, Hashable, Sendable, Codable {
        /// Fixes are inside, and it is not certain yet.
        case entering
        /// A visit.
        case inside
        /// Went through in less than it takes to be certain of having entered.
        case crossing
        /// Went through and came back at once: noise, which is not to begin anew with its way back.
        case returned
    }

    /// The fence.
    var slot: ShapeIndex.Slot
    var phase = Phase.entering
    /// So many fixes in a row say that the next change has come…
    var confirmingFixes = 0
    /// …since this one.
    var confirmingSince: Timestamp
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
    var isScheduleOpen = true
    /// When the fence's schedule opens or closes next.
    var nextScheduleChange: Timestamp?
    /// The speed limit, where there is one.
    var overspeed: OverspeedDetector?

    init(slot: ShapeIndex.Slot, at time: Timestamp) {
        self.slot = slot
        confirmingSince = time
        enteredAt = time
    }

    /// One more fix says that the change has come.
    mutating func confirm(at time: Timestamp, isSparse: Bool) -> ChangeConfirmation {
        if confirmingFixes == 0 { confirmingSince = time }
        confirmingFixes += 1
        return ChangeConfirmation(
            count: confirmingFixes, seconds: time.seconds(since: confirmingSince), isSparse: isSparse)
    }

    /// When something falls due by itself.
    var due: Timestamp? {
        guard phase == .inside else { return nil }
        guard let dwell = dwellDue, !isDwellSuspended(dwell) else { return nextScheduleChange }
        return min(dwell, nextScheduleChange ?? dwell)
    }

    /// Whether it may have left before it was due.
    private func isDwellSuspended(_ dwell: Timestamp) -> Bool {
        !isScheduleOpen || isOutside && (leftAt.map { $0 < dwell } ?? true)
    }
}

/// Something to tell of a fence; the fence's own words are put to it when it is told.
struct PendingGeofenceEvent: Equatable {
    var slot: ShapeIndex.Slot
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
