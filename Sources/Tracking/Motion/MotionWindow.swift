import OdographCivilTime
import OdographGeodesy

/// A few seconds of a track: one step of the movement model.
struct MotionWindow: Equatable, Sendable {
    /// The time of its last fix.
    var time: Timestamp
    /// The position of its last fix.
    var coordinate: Coordinate
    /// The radius that contains the true position in 95 of 100 cases, metres.
    var accuracyMeters: Double
    /// The odometer's running total after its last fix, metres.
    var odometerMeters: Double
    /// The speed over the window, m/s.
    var speedMetersPerSecond: Double
    /// The mean of the speeds that the receiver reported in the window, m/s; nil if it reported none.
    var reportedMetersPerSecond: Double?
    /// The fastest of these speeds, m/s; nil if it reported none.
    var fastestMetersPerSecond: Double?
    /// For each state, its predecessor on the most likely path; four bits each, the first state in the lowest bits.
    var backpointers: UInt64
    /// The probability of a vehicle as a share of that of a vehicle or a bicycle, 0 to 1.
    var vehicleProbability: Double

    /// Whether the receiver reported a speed of practically 0. Positions drift, sometimes by more than the reported
    /// accuracy; the Doppler speed does not.
    var isReportedStationary: Bool {
        reportedMetersPerSecond.map { $0 < WindowMean.lowSpeedErrorMetersPerSecond } ?? false
    }

    /// Whether the receiver measured a rest all the time. A speed of exactly 0 is no measurement: phones report it at a
    /// walk.
    var isMeasuredRest: Bool {
        fastestMetersPerSecond.map { $0 > 0 && $0 < WindowMean.lowSpeedErrorMetersPerSecond } ?? false
    }

    func predecessor(of movement: MovementState) -> MovementState {
        MovementState(rawValue: Int(backpointers >> UInt64(4 * movement.rawValue) & 15)) ?? .still
    }
}

/// An array without keys, since a saved state contains many windows.
extension MotionWindow: Codable {
    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        time = Timestamp(millisecondsSinceEpoch: try list.decode(Int64.self))
        coordinate = try list.decodeCoordinate()
        accuracyMeters = try list.decode(Double.self)
        odometerMeters = try list.decode(Double.self)
        speedMetersPerSecond = try list.decode(Double.self)
        reportedMetersPerSecond = try list.decodeNil() ? nil : list.decode(Double.self)
        fastestMetersPerSecond = try list.decodeNil() ? nil : list.decode(Double.self)
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
        try list.encode(fastestMetersPerSecond)
        try list.encode(backpointers)
        try list.encode(vehicleProbability)
    }
}
