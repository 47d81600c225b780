import OdographCivilTime
import OdographModel

/// The mode, the end and the tag of the last final trip.
struct FinalTrip: Equatable, Sendable, Codable {
    let mode: MovementMode?
    let end: Timestamp
    let tag: String?

    /// Whether an event and this trip would be one trip.
    func isContinued(by event: OpenEvent?, tag: String?) -> Bool {
        guard let event, let mode, event.start == end, self.tag == tag else { return false }
        return event.trip?.motion.mode == mode
    }
}
