import OdographCivilTime
import OdographModel

/// The last final trip or stop, which the next event must not repeat.
struct FinalEvent: Equatable, Sendable, Codable {
    /// The mode of the trip. Nil for a trip without a known mode, and for a stop.
    let mode: MovementMode?
    let isStop: Bool
    let end: Timestamp
    let tag: String?
    let isPrivate: Bool

    /// Whether an event and this one would be one trip, or one stop.
    func isContinued(by event: OpenEvent, _ emitter: RevisionEmitter) -> Bool {
        guard touches(event, emitter) else { return false }
        return isStop ? event.isStationary : mode != nil && event.trip?.motion.mode == mode
    }

    /// Whether an event begins at the end of this one, under the same rule of the schedule.
    func touches(_ event: OpenEvent, _ emitter: RevisionEmitter) -> Bool {
        event.start == end && emitter.tag == tag && emitter.isPrivate == isPrivate
    }
}
