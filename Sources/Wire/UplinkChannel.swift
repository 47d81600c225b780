/// A channel of a device: the last part of the topics that it publishes to.
public enum UplinkChannel: String, Hashable, Sendable, Codable, CaseIterable {
    /// Location events.
    case location
    /// Location events whose `event` is `geofence`.
    case geofence
    /// Revisions of timeline events.
    case timeline
    /// The connection state of the agent; also its last will.
    case status
    /// The configuration in force and the state of the agent.
    case reported
    /// Answers to commands.
    case response
}

extension UplinkChannel {
    /// Whether the broker retains the newest message of the channel.
    public var isRetained: Bool {
        switch self {
        case .location, .timeline, .status, .reported: true
        case .geofence, .response: false
        }
    }
}
