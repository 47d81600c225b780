/// A parameter of SAE J1939-71: its place in the group, its resolution and its range. All of them have an offset of 0.
struct J1939Parameter {
    /// The group.
    let group: ParameterGroup
    /// The index of the lowest byte. The standard counts from 1.
    let byteIndex: Int
    /// The number of bytes: 1, 2 or 4.
    let byteCount: Int
    /// The value of one bit.
    let resolution: Double

    /// SPN 190, revolutions per minute.
    static let engineSpeed = Self(group: .engineController, byteIndex: 3, byteCount: 2, resolution: 0.125)
    /// SPN 84, km/h.
    static let wheelSpeed = Self(group: .vehicleSpeed, byteIndex: 1, byteCount: 2, resolution: 1.0 / 256)
    /// SPN 917, metres.
    static let highResolutionDistance = Self(
        group: .highResolutionDistance, byteIndex: 0, byteCount: 4, resolution: 5)
    /// SPN 245, metres.
    static let distance = Self(group: .distance, byteIndex: 4, byteCount: 4, resolution: 125)
    /// SPN 96, share of the tank.
    static let fuelLevel = Self(group: .dashDisplay, byteIndex: 1, byteCount: 1, resolution: 0.004)
    /// SPN 168, volts.
    static let batteryVoltage = Self(group: .electricalPower, byteIndex: 4, byteCount: 2, resolution: 0.05)
    /// SPN 158, volts.
    static let keySwitchVoltage = Self(group: .electricalPower, byteIndex: 6, byteCount: 2, resolution: 0.05)

    /// Returns the value in a frame of the group. Nil if the frame is too short, or if the sender reports an error
    /// (highest byte FE), that the parameter is not available (FF), or a reserved value (FB to FD): J1939-71, table 1.
    func value(in frame: CANFrame) -> Double? {
        guard let raw = frame.littleEndian(at: byteIndex, count: byteCount), raw >> (8 * (byteCount - 1)) <= 0xFA
        else { return nil }
        return Double(raw) * resolution
    }

    /// Returns the eight bytes of a group with this parameter only. The others are not available.
    /// - Parameter value: A value of the parameter's range. Others are clamped to it.
    func bytes(with value: Double) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xFF, count: CANFrame.maximumByteCount)
        set(value, in: &bytes)
        return bytes
    }

    /// Writes the parameter into eight bytes of its group.
    func set(_ value: Double, in bytes: inout [UInt8]) {
        let largest = UInt32(0xFAFF_FFFF) >> (32 - 8 * UInt32(byteCount))
        let raw = UInt32(min(max((value / resolution).rounded(), 0), Double(largest)))
        for index in 0..<byteCount { bytes[byteIndex + index] = UInt8(truncatingIfNeeded: raw >> (8 * index)) }
    }
}
