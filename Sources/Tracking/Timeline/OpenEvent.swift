import CivilTime
import Geodesy

/// The event of the timeline that lasts.
struct OpenEvent: Equatable, Sendable, Codable {
    /// What it is taken for.
    enum Phase: Equatable, Sendable, Codable {
        case unknown
        case stationary
        case transport
        case offTheGrid(OffTheGridReason)
    }

    var id: TimelineEventID
    var revision = 0
    var phase: Phase
    var start: Timestamp
    /// What went before this is decided and not weighed again: its start, or where something was taken back.
    var settledUntil: Timestamp
    /// The odometer's total at its start, metres.
    var startMeters: Double
    /// Who or what moves, as far as it is settled.
    var mode: MovementMode?
    /// By what means it came to the stay, or to the leg: another than the leg's own.
    var arrivalMode: MovementMode?
    /// Whether it is a way out of a stay that nobody can be sure of yet.
    var isTentative = false
    /// While it is doubted and no more is known than that somebody came out of a building: where in the stay he was.
    var indoorPosition: Coordinate?
    /// How long it went faster than any road vehicle does, seconds.
    var aboveRoadSpeedSeconds = 0.0
    /// How long it went faster than cyclists do, seconds.
    var aboveCyclingSpeedSeconds = 0.0

    init(id: TimelineEventID, revision: Int = 0, phase: Phase, start: Timestamp, startMeters: Double) {
        self.id = id
        self.revision = revision
        self.phase = phase
        self.start = start
        settledUntil = start
        self.startMeters = startMeters
    }

    /// Nobody doubts it any more: what it is now it is.
    mutating func clearTentative() {
        isTentative = false
        indoorPosition = nil
    }

    /// Whether who stays can have come out of a building. A vehicle that is parked does not come out of anything without
    /// driving, whatever its receiver sees.
    var mayBeIndoors: Bool { arrivalMode?.isOnWheels != true }
}
