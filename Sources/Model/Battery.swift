/// The state of the battery that the machine runs on.
public struct Battery: Hashable, Sendable, Codable {
    /// The charge, 0 (empty) to 1 (full).
    public var level: Double
    /// Whether external power is connected.
    public var isCharging: Bool

    private enum CodingKeys: String, CodingKey { case level, isCharging }

    /// Creates a state; a level outside its range is clamped, and NaN counts as 0.
    public init(level: Double, isCharging: Bool) {
        self.level = ValidRange.charge.clamped(level) ?? 0
        self.isCharging = isCharging
    }
}
