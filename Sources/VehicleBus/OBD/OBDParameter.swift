/// The parameters of OBD-II, mode 01 ("current data", SAE J1979), that are requested.
package enum OBDParameter: UInt8, Hashable, Sendable, CaseIterable {
    /// Speed of the engine.
    case engineSpeed = 0x0C
    /// Speed of the vehicle.
    case vehicleSpeed = 0x0D
    /// Level of the fuel.
    case fuelLevel = 0x2F
    /// Voltage of the control module.
    case moduleVoltage = 0x42
    /// Odometer; only in vehicles of about 2019 and later.
    case odometer = 0xA6

    /// The mode "current data".
    static let currentDataMode: UInt8 = 0x01
    /// The bit of a mode that marks a positive answer.
    static let answerBit: UInt8 = 0x40
    /// The resolution of the odometer, metres.
    static let odometerResolutionMeters = 100.0

    /// The number of data bytes in an answer.
    var byteCount: Int {
        switch self {
        case .vehicleSpeed, .fuelLevel: 1
        case .engineSpeed, .moduleVoltage: 2
        case .odometer: 4
        }
    }

    /// Returns the value of the data bytes: revolutions per minute, m/s, share of the tank, volts, or metres.
    func value(of raw: UInt32) -> Double {
        switch self {
        case .engineSpeed: Double(raw) / 4
        case .vehicleSpeed: Double(raw) / 3.6
        case .fuelLevel: Double(raw) / 255
        case .moduleVoltage: Double(raw) / 1000
        case .odometer: Double(raw) * Self.odometerResolutionMeters
        }
    }
}
