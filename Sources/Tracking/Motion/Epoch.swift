import CivilTime
import Geodesy

/// Some seconds of a track: the step of the movement model.
struct Epoch: Hashable, Sendable, Codable {
    /// The time of its last fix.
    var time: Timestamp
    /// The position of its last fix.
    var coordinate: Coordinate
    /// The odometer's running total after its last fix, metres.
    var odometerMeters: Double
    /// The speed over it, m/s.
    var speedMetersPerSecond: Double
    /// For each state, which state came before it on the likeliest way there; four bits each, the first state lowest.
    var origins: UInt64

    func origin(of movement: Movement) -> Movement {
        Movement(rawValue: Int(origins >> UInt64(4 * movement.rawValue) & 15)) ?? .still
    }
}
