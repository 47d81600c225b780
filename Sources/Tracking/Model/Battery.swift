/// The state of the battery that the machine runs on.
public struct Battery: Hashable, Sendable, Codable {
    /// Charge, 0 (empty) to 1 (full).
    public var level: Double
    /// Whether external power feeds it.
    public var isCharging: Bool

    /// - Parameters: as the properties of the same names; a level beyond its range is brought into it.
    public init(level: Double, isCharging: Bool) {
        self.level = ValidRange.charge.clamped(level) ?? 0
        self.isCharging = isCharging
    }
}
