/// The values that the vehicle itself reports. A value that is not reported, stale or implausible is absent.
///
/// The names in brackets are those of the COVESA Vehicle Signal Specification 4, with its unit where it differs.
public struct VehicleReading: Hashable, Sendable, Codable {
    /// The speed of the wheels, m/s (`Vehicle.Speed`, km/h).
    public var speed: Double?
    /// The vehicle's own odometer, metres (`Vehicle.TraveledDistance`, km).
    public var odometer: Double?
    /// Whether the ignition is on (`Vehicle.LowVoltageSystemState` is `ON` or `START`).
    public var ignition: Bool?
    /// The speed of the engine, revolutions per minute (`Vehicle.Powertrain.CombustionEngine.Speed`).
    public var engineSpeed: Double?
    /// The voltage of the vehicle's battery, volts (`Vehicle.LowVoltageBattery.CurrentVoltage`).
    public var batteryVoltage: Double?
    /// The content of the fuel tank, 0 to 1 (`Vehicle.Powertrain.FuelSystem.RelativeLevel`, percent).
    public var fuelLevel: Double?
    /// The charge of the traction battery, 0 to 1 (`Vehicle.Powertrain.TractionBattery.StateOfCharge.Current`,
    /// percent).
    public var stateOfCharge: Double?
    /// The source of the newest value.
    public var source: Source
    /// The age of the oldest value at the time of the record, milliseconds.
    public var age: Int64

    /// Creates a reading.
    public init(
        speed: Double? = nil, odometer: Double? = nil, ignition: Bool? = nil, engineSpeed: Double? = nil,
        batteryVoltage: Double? = nil, fuelLevel: Double? = nil, stateOfCharge: Double? = nil, source: Source,
        age: Int64
    ) {
        self.speed = speed
        self.odometer = odometer
        self.ignition = ignition
        self.engineSpeed = engineSpeed
        self.batteryVoltage = batteryVoltage
        self.fuelLevel = fuelLevel
        self.stateOfCharge = stateOfCharge
        self.source = source
        self.age = age
    }

    enum CodingKeys: String, CodingKey {
        case speed, odometer, ignition
        case engineSpeed = "engine_speed"
        case batteryVoltage = "battery_voltage"
        case fuelLevel = "fuel_level"
        case stateOfCharge = "state_of_charge"
        case source, age
    }

    /// A source of the vehicle's signals.
    public struct Source: OpenEnumeration {
        /// A CAN bus with SAE J1939 and the groups of the FMS standard.
        public static let j1939 = Self(rawValue: "j1939")
        /// OBD-II on a CAN bus.
        public static let obd = Self(rawValue: "obd")
        /// An ELM327 adapter.
        public static let elm327 = Self(rawValue: "elm327")
        /// A program on the machine, through the control socket.
        public static let program = Self(rawValue: "program")
        /// The simulator.
        public static let simulator = Self(rawValue: "simulator")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.j1939, .obd, .elm327, .program, .simulator]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
