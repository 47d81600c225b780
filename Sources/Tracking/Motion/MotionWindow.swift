import CivilTime
import Geodesy

/// Some seconds of a track: the step of the movement model.
struct MotionWindow: Equatable, Sendable {
    /// The time of its last fix.
    var time: Timestamp
    /// The position of its last fix.
    var coordinate: Coordinate
    /// Radius that holds the true position in 95 of 100 cases, metres.
    var accuracyMeters: Double
    /// The odometer's running total after its last fix, metres.
    var odometerMeters: Double
    /// The speed over it, m/s.
    var speedMetersPerSecond: Double
    /// The mean of the speeds that the receiver said in it, m/s; nil where it said none.
    var reportedMetersPerSecond: Double?
    /// For each state, which state came before it on the likeliest way there; four bits each, the first state lowest.
    var backpointers: UInt64
    /// How much likelier a vehicle was than a bicycle then, of both, 0 to 1.
    var vehicleProbability: Double

    /// Whether the receiver said that it stood, whatever its positions did: they wander, at times by more than it owns up
    /// to, and the Doppler does not.
    var isReportedStationary: Bool {
        reportedMetersPerSecond.map { $0 < WindowMean.lowSpeedErrorMetersPerSecond } ?? false
    }

    func predecessor(of movement: MovementState) -> MovementState {
        MovementState(rawValue: Int(backpointers >> UInt64(4 * movement.rawValue) & 15)) ?? .still
    }
}

/// As a list without names: there are many of them in a saved state.
extension MotionWindow: Codable {
    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        time = Timestamp(millisecondsSinceEpoch: try list.decode(Int64.self))
        coordinate = try list.decodeCoordinate()
        accuracyMeters = try list.decode(Double.self)
        odometerMeters = try list.decode(Double.self)
        speedMetersPerSecond = try list.decode(Double.self)
        reportedMetersPerSecond = try list.decodeNil() ? nil : list.decode(Double.self)
        backpointers = try list.decode(UInt64.self)
        vehicleProbability = try list.decode(Double.self)
    }

    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(time.millisecondsSinceEpoch)
        try list.encodeCoordinate(coordinate)
        try list.encode(accuracyMeters)
        try list.encode(odometerMeters)
        try list.encode(speedMetersPerSecond)
        try list.encode(reportedMetersPerSecond)
        try list.encode(backpointers)
        try list.encode(vehicleProbability)
    }
}
