import OdographCivilTime

/// A harsh manoeuvre, or a long idling, after its end.
public struct DrivingEvent: Hashable, Sendable, Codable {
    /// The kind of event.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The speed rose fast.
        case acceleration
        /// The speed fell fast.
        case braking
        /// The direction changed fast for the speed.
        case cornering
        /// The engine ran at a halt for long.
        case idling
    }

    /// The kind of event.
    public var kind: Kind
    /// The largest acceleration, averaged over about a second, in units of standard gravity, > 0; nil with `idling`.
    public var peakG: Double?
    /// The duration, seconds, ≥ 0.
    public var durationSeconds: Double
    /// The time of the start.
    public var start: Timestamp
}
