/// The frames that the control units of a vehicle with the FMS groups send at one time, for logs of simulated drives.
package struct J1939Frames: Sendable {
    /// The address of the engine's control unit.
    private static let engineAddress: UInt8 = 0
    /// The address of the tachograph.
    private static let tachographAddress: UInt8 = 0xEE
    /// The address of the instruments.
    private static let instrumentsAddress: UInt8 = 0x17

    /// The speed of the wheels, m/s.
    package var wheelSpeedMetersPerSecond: Double
    /// The vehicle's odometer, metres.
    package var odometerMeters: Double
    /// The speed of the engine, revolutions per minute.
    package var engineRevolutionsPerMinute: Double
    /// The content of the tank, 0 to 1.
    package var fuelLevel: Double
    /// The voltage of the battery, volts.
    package var batteryVolts: Double

    /// Creates the state of a vehicle.
    package init(
        wheelSpeedMetersPerSecond: Double, odometerMeters: Double, engineRevolutionsPerMinute: Double,
        fuelLevel: Double,
        batteryVolts: Double
    ) {
        self.wheelSpeedMetersPerSecond = wheelSpeedMetersPerSecond
        self.odometerMeters = odometerMeters
        self.engineRevolutionsPerMinute = engineRevolutionsPerMinute
        self.fuelLevel = fuelLevel
        self.batteryVolts = batteryVolts
    }

    /// The frames that are sent every 100 ms: speed and engine.
    package var fast: [CANFrame] {
        [
            Self.frame(.wheelSpeed, wheelSpeedMetersPerSecond * 3.6, from: Self.engineAddress),
            Self.frame(.engineSpeed, engineRevolutionsPerMinute, priority: 3, from: Self.engineAddress),
        ].compactMap(\.self)
    }

    /// The frames that are sent every second: distance, fuel and voltage. The key switch is on.
    package var slow: [CANFrame] {
        var power = J1939Parameter.batteryVoltage.bytes(with: batteryVolts)
        J1939Parameter.keySwitchVoltage.set(batteryVolts, in: &power)
        return [
            Self.frame(.highResolutionDistance, odometerMeters, from: Self.tachographAddress),
            Self.frame(.fuelLevel, fuelLevel, from: Self.instrumentsAddress),
            CANFrame(
                identifier: ParameterGroup.electricalPower.identifier(sender: Self.instrumentsAddress),
                isExtended: true,
                bytes: power),
        ].compactMap(\.self)
    }

    private static func frame(
        _ parameter: J1939Parameter, _ value: Double, priority: UInt32 = 6, from sender: UInt8
    ) -> CANFrame? {
        CANFrame(
            identifier: parameter.group.identifier(priority: priority, sender: sender), isExtended: true,
            bytes: parameter.bytes(with: value))
    }
}
