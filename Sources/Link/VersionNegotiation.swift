/// The choice of the MQTT version for the next attempt.
///
/// A broker without MQTT 5 should refuse that version. Some only close the connection, and some answer in a form that
/// an MQTT 5 client cannot read. Then the other version is tried.
struct VersionNegotiation {
    let preference: LinkConfiguration.ProtocolPreference
    private(set) var version: MQTTVersion
    /// Whether the version has worked. Then a closed connection is no longer a reason to change it.
    private var isConfirmed = false
    private var hasTriedOtherVersion = false

    init(preference: LinkConfiguration.ProtocolPreference, remembered: MQTTVersion?) {
        self.preference = preference
        switch preference {
        case .v5: version = .v5
        case .v311: version = .v311
        case .automatic: version = remembered ?? .v5
        }
    }

    /// The result of an attempt, as far as the version is concerned.
    enum Outcome {
        /// The broker accepted the connection.
        case accepted
        /// The broker refused the version.
        case versionRefused
        /// The broker closed the connection or sent invalid data instead of CONNACK.
        case noAnswer
        /// The attempt failed for another reason: the network, the credentials, …
        case unrelated
    }

    /// Records the result of an attempt. Returns whether to try the other version at once.
    mutating func recordOutcome(_ outcome: Outcome) -> Bool {
        guard preference == .automatic else { return false }
        switch outcome {
        case .accepted:
            isConfirmed = true
            return false
        case .unrelated:
            return false
        case .versionRefused:
            return switchVersion()
        case .noAnswer:
            guard !isConfirmed else { return false }
            return switchVersion()
        }
    }

    /// Changes the version. Each is tried once without a delay; after that they alternate at the back-off's pace.
    private mutating func switchVersion() -> Bool {
        version = version == .v5 ? .v311 : .v5
        isConfirmed = false
        defer { hasTriedOtherVersion = true }
        return !hasTriedOtherVersion
    }
}
