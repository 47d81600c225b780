import OdographModel

/// The newest reading of each signal of the vehicle.
///
/// Sources report different signals at different rates. So each signal keeps its own time and source, and is stale
/// after a time of its own.
struct SignalReadings: Equatable, Sendable, Codable {
    /// The times after which a value is stale, seconds.
    enum StaleAfter {
        /// J1939 sends the speed every 0.1 s; an adapter that requests five values in turn reads each about every 2 s.
        static let motion = 3.0
        /// Some control units send the state of the ignition every 10 s only.
        static let ignition = 30.0
        /// Values that change within minutes. An odometer is sent every second, a fuel level every second to minute.
        static let state = 600.0
    }

    var wheelSpeed: SignalReading<Double>?
    var odometer: SignalReading<Double>?
    var ignition: SignalReading<Bool>?
    var engineSpeed: SignalReading<Double>?
    var batteryVolts: SignalReading<Double>?
    var fuelLevel: SignalReading<Double>?
    var stateOfCharge: SignalReading<Double>?

    init() {}

    /// Takes signals. Values that are missing in them stay.
    mutating func update(with signals: VehicleSignals) {
        let received = signals.received.uptimeMilliseconds
        func reading<Value>(_ value: Value?, else former: SignalReading<Value>?) -> SignalReading<Value>? {
            guard let value else { return former }
            return SignalReading(value: value, source: signals.source, uptimeMilliseconds: received)
        }
        wheelSpeed = reading(signals.wheelSpeedMetersPerSecond, else: wheelSpeed)
        odometer = reading(signals.odometerMeters, else: odometer)
        ignition = reading(signals.isIgnitionOn, else: ignition)
        engineSpeed = reading(signals.engineRevolutionsPerMinute, else: engineSpeed)
        batteryVolts = reading(signals.batteryVolts, else: batteryVolts)
        fuelLevel = reading(signals.fuelLevel, else: fuelLevel)
        stateOfCharge = reading(signals.stateOfCharge, else: stateOfCharge)
    }

    /// Returns the readings that are not stale at a time of the monotonic clock.
    func fresh(at uptime: Int64) -> SignalReadings {
        func fresh<Value>(_ reading: SignalReading<Value>?, within seconds: Double) -> SignalReading<Value>? {
            guard let reading, Double(reading.ageMilliseconds(at: uptime)) <= seconds * 1000 else { return nil }
            return reading
        }
        var readings = SignalReadings()
        readings.wheelSpeed = fresh(wheelSpeed, within: StaleAfter.motion)
        readings.engineSpeed = fresh(engineSpeed, within: StaleAfter.motion)
        readings.odometer = fresh(odometer, within: StaleAfter.state)
        readings.batteryVolts = fresh(batteryVolts, within: StaleAfter.state)
        readings.fuelLevel = fresh(fuelLevel, within: StaleAfter.state)
        readings.stateOfCharge = fresh(stateOfCharge, within: StaleAfter.state)
        // A program reports the ignition when it changes. A bus repeats it.
        readings.ignition = ignition?.source == .program ? ignition : fresh(ignition, within: StaleAfter.ignition)
        return readings
    }
}
