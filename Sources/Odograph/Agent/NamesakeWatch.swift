import Link

/// Finds out that another client has this one's name: a copied configuration, or a copied disk.
///
/// A broker closes the older connection of two of one name. MQTT 5 has it say so (section 3.1.4, reason 0x8E), but many do
/// not, mosquitto 2.0 among them. Then both connect in turn for ever, and each looks healthy while it is connected.
struct NamesakeWatch {
    /// Fewer may be a broker that is started anew, which closes each connection once.
    private static let mostClosings = 3
    /// A connection that stands for this long was not followed by its namesake's, milliseconds: the delays before an attempt
    /// begin anew then too.
    static let calmMilliseconds: Int64 = 60_000

    private var connectedUptimeMilliseconds: Int64?
    private var closings = 0

    /// A connection stands.
    mutating func connected(atUptimeMilliseconds now: Int64) { connectedUptimeMilliseconds = now }

    /// An attempt or a connection has failed.
    /// - Returns: whether another client of the same name is the likely reason.
    mutating func disconnected(_ failure: LinkFailure, atUptimeMilliseconds now: Int64) -> Bool {
        guard let since = connectedUptimeMilliseconds else { return false }
        connectedUptimeMilliseconds = nil
        if now - since >= Self.calmMilliseconds { closings = 0 }
        switch failure {
        case .sessionTakenOver: closings = Self.mostClosings
        case .closedByBroker: closings += 1
        default: closings = 0
        }
        return closings >= Self.mostClosings
    }
}
