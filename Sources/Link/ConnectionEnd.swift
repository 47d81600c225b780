/// The end of an attempt to connect, or of the connection that it began.
struct ConnectionEnd {
    /// The reason.
    var failure: LinkFailure
    /// The seconds from the broker's acceptance on; nil if there was none.
    var connectedSeconds: Double?
    /// Whether the broker accepted the connection, and then answered nothing.
    var isUnanswered = false

    /// Whether the broker accepted the connection.
    var wasConnected: Bool { connectedSeconds != nil }

    /// The conclusion about the version of MQTT.
    var versionOutcome: VersionNegotiation.Outcome {
        if wasConnected { return .unrelated }
        switch failure {
        case .protocolVersionRefused: return .versionRefused
        case .closedBeforeConnack, .protocolError: return .noAnswer
        default: return .unrelated
        }
    }
}
