import OdographLink
import OdographSettings

extension RecordingSettings {
    /// The longest accepted payload, bytes. The longest legitimate message is a report with a configuration and the
    /// errors of geofences, far below it.
    package static let maximumPayloadBytes = 1 << 20
    /// The bytes by which a packet may be longer. A broker limits packets to less, such as the 8 MiB of `provision`, so
    /// that each of them arrives: what a vehicle makes the broker withhold would stop the messages of the others.
    static let incomingRoomBytes = 16 << 20
    /// How long the broker keeps the session after a connection ends (MQTT 5): 14 days, as <doc:Operations> sets it at
    /// the broker for MQTT 3.1.1.
    private static let sessionExpirySeconds: UInt32 = 14 * 86_400

    /// Returns the settings of the session with the broker. The client id is empty: it follows from the database, see
    /// ``RecorderClientIdentity``.
    package func linkConfiguration(password: Secret?) -> LinkConfiguration {
        var link = broker.linkConfiguration(clientID: "", password: password)
        link.cleanStart = false
        link.sessionExpirySeconds = Self.sessionExpirySeconds
        link.maximumIncomingBytes = Self.maximumPayloadBytes
        link.incomingRoomBytes = Self.incomingRoomBytes
        return link
    }
}
