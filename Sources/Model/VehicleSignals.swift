import OdographCivilTime

/// Values that the vehicle itself reports, received at one time from one source.
///
/// A value is nil if the source did not report it at this time. It does not mean that the value has become unknown.
/// The names in brackets are those of the COVESA Vehicle Signal Specification 4.
public struct VehicleSignals: Hashable, Sendable, Codable {
    /// Where signals come from.
    public enum Source: String, Hashable, Sendable, Codable, CaseIterable {
        /// A CAN bus with SAE J1939 and the groups of the FMS standard.
        case j1939
        /// Answers of OBD-II, mode 01, on a CAN bus.
        case obd
        /// An ELM327 adapter on a serial port.
        case elm327
        /// A program on this machine, through the control socket.
        case program
        /// The simulator.
        case simulator
    }

    /// The source.
    public var source: Source
    /// The time at which the agent received the values.
    public var received: ClockReading
    /// The speed of the wheels, m/s, ≥ 0 (`Vehicle.Speed`).
    public var wheelSpeedMetersPerSecond: Double?
    /// The vehicle's own odometer, metres, ≥ 0 (`Vehicle.TraveledDistance`).
    public var odometerMeters: Double?
    /// Whether the ignition is on (`Vehicle.LowVoltageSystemState` is `ON` or `START`).
    public var isIgnitionOn: Bool?
    /// The speed of the engine, revolutions per minute, ≥ 0 (`Vehicle.Powertrain.CombustionEngine.Speed`).
    public var engineRevolutionsPerMinute: Double?
    /// The voltage of the vehicle's battery, volts, ≥ 0 (`Vehicle.LowVoltageBattery.CurrentVoltage`).
    public var batteryVolts: Double?
    /// The content of the fuel tank, 0 to 1 of its capacity (`Vehicle.Powertrain.FuelSystem.RelativeLevel`, in
    /// percent).
    public var fuelLevel: Double?
    /// The charge of the traction battery, 0 to 1 (`Vehicle.Powertrain.TractionBattery.StateOfCharge.Current`, in
    /// percent).
    public var stateOfCharge: Double?

    /// Creates signals. A value outside its ``ValidRange`` becomes nil, as if not reported.
    public init(
        source: Source, received: ClockReading, wheelSpeedMetersPerSecond: Double? = nil, odometerMeters: Double? = nil,
        isIgnitionOn: Bool? = nil, engineRevolutionsPerMinute: Double? = nil, batteryVolts: Double? = nil,
        fuelLevel: Double? = nil, stateOfCharge: Double? = nil
    ) {
        self.source = source
        self.received = received
        self.wheelSpeedMetersPerSecond = ValidRange.wheelSpeed.validated(wheelSpeedMetersPerSecond)
        self.odometerMeters = ValidRange.vehicleOdometer.validated(odometerMeters)
        self.isIgnitionOn = isIgnitionOn
        self.engineRevolutionsPerMinute = ValidRange.engineSpeed.validated(engineRevolutionsPerMinute)
        self.batteryVolts = ValidRange.batteryVoltage.validated(batteryVolts)
        self.fuelLevel = ValidRange.charge.validated(fuelLevel)
        self.stateOfCharge = ValidRange.charge.validated(stateOfCharge)
    }
}
