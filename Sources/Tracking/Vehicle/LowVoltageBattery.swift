import OdographModel

/// Estimates the charge of the vehicle's low-voltage battery, which the machine runs on if it has none of its own.
///
/// The voltage at rest shows the charge of a lead battery (Battery Council International: 12.65 V full, 11.89 V empty,
/// at 27 °C). While the alternator charges it, the voltage shows nothing, and the last charge at rest stays.
struct LowVoltageBattery: Equatable, Sendable, Codable {
    /// From this voltage of a 12 V battery on, it is charged.
    private static let chargingVolts = 13.2
    /// The voltage at rest of a full and of an empty 12 V battery.
    private static let (fullVolts, emptyVolts) = (12.65, 11.89)
    /// From this voltage on, it is a battery of 24 V.
    private static let doubleVolts = 18.0

    private var restLevel: Double?
    private var isCharging = false

    init() {}

    /// The battery; nil before it was at rest.
    var state: Battery? { restLevel.map { Battery(level: $0, isCharging: isCharging) } }

    mutating func update(volts: Double) {
        let volts = volts >= Self.doubleVolts ? volts / 2 : volts
        isCharging = volts >= Self.chargingVolts
        guard !isCharging else { return }
        restLevel = min(max((volts - Self.emptyVolts) / (Self.fullVolts - Self.emptyVolts), 0), 1)
    }
}
