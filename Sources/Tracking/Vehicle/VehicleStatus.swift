import OdographModel

/// The values that the vehicle itself reports, as they are known at one time. A value that is stale, implausible or not
/// reported is nil.
public struct VehicleStatus: Hashable, Sendable, Codable {
    /// The speed of the wheels, m/s, ≥ 0.
    public var wheelSpeedMetersPerSecond: Double?
    /// The vehicle's own odometer, metres, ≥ 0.
    public var odometerMeters: Double?
    /// Whether the ignition is on.
    public var isIgnitionOn: Bool?
    /// The speed of the engine, revolutions per minute, ≥ 0.
    public var engineRevolutionsPerMinute: Double?
    /// The voltage of the vehicle's battery, volts, ≥ 0.
    public var batteryVolts: Double?
    /// The content of the fuel tank, 0 to 1.
    public var fuelLevel: Double?
    /// The charge of the traction battery, 0 to 1.
    public var stateOfCharge: Double?
    /// The source of the newest value.
    public var source: VehicleSignals.Source
    /// The age of the oldest value, milliseconds, ≥ 0.
    public var ageMilliseconds: Int64
}

extension VehicleStatus {
    /// Creates the status at a time of the monotonic clock; nil if no value is known.
    init?(_ readings: SignalReadings, atUptimeMilliseconds uptime: Int64) {
        let known = readings.fresh(at: uptime)
        let stamps = [
            known.wheelSpeed?.stamp, known.odometer?.stamp, known.ignition?.stamp, known.engineSpeed?.stamp,
            known.batteryVolts?.stamp, known.fuelLevel?.stamp, known.stateOfCharge?.stamp,
        ].compactMap(\.self)
        guard let oldest = stamps.min(by: { $0.uptimeMilliseconds < $1.uptimeMilliseconds }),
            let newest = stamps.max(by: { $0.uptimeMilliseconds < $1.uptimeMilliseconds })
        else { return nil }
        self.init(
            wheelSpeedMetersPerSecond: known.wheelSpeed?.value, odometerMeters: known.odometer?.value,
            isIgnitionOn: known.ignition?.value, engineRevolutionsPerMinute: known.engineSpeed?.value,
            batteryVolts: known.batteryVolts?.value, fuelLevel: known.fuelLevel?.value,
            stateOfCharge: known.stateOfCharge?.value,
            source: newest.source, ageMilliseconds: max(uptime - oldest.uptimeMilliseconds, 0))
    }
}

extension SignalReading {
    /// The source and the time of the reading.
    fileprivate var stamp: (source: VehicleSignals.Source, uptimeMilliseconds: Int64) { (source, uptimeMilliseconds) }
}
