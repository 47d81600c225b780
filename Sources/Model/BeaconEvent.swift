/// A change of the presence of a beacon that the configuration names.
public struct BeaconEvent: Hashable, Sendable, Codable {
    /// The kind of change.
    public enum Action: String, Hashable, Sendable, Codable, CaseIterable {
        /// The beacon is aboard from now on.
        case enter = "ENTER"
        /// The beacon is no longer aboard, or no longer configured.
        case exit = "EXIT"
    }

    /// The name of the beacon in the configuration.
    public var identifier: String
    /// The change.
    public var action: Action
    /// The strength of its signal, dBm: with `enter` the median of the advertisements that decided, with `exit` that of
    /// the last one; nil if none was received in this run.
    public var signalDBm: Int?

    /// Creates an event.
    public init(identifier: String, action: Action, signalDBm: Int?) {
        self.identifier = identifier
        self.action = action
        self.signalDBm = signalDBm
    }
}
