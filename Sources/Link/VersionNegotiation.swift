/// Which version of MQTT the next attempt speaks.
///
/// A broker that does not know MQTT 5 should say so, but some only close the connection, and some answer in a form
/// that an MQTT 5 client cannot read: then the other version has its turn.
struct VersionNegotiation {
    let preference: LinkConfiguration.ProtocolPreference
    private(set) var version: MQTTVersion
    /// Whether a version has worked: from then on a closed connection is no reason to doubt it.
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

    /// How an attempt ended, as far as the version is concerned.
    enum Outcome {
        /// The broker consented.
        case accepted
        /// The broker said that it does not know the version.
        case versionRefused
        /// The broker closed, or answered nonsense, in place of its answer.
        case noAnswer
        /// Anything else: the network, the credentials, …
        case unrelated
    }

    /// - Returns: whether the other version should be tried at once.
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

    /// Each version is tried once without a delay; after that the versions take turns at the pace of the back-off.
    private mutating func switchVersion() -> Bool {
        version = version == .v5 ? .v311 : .v5
        isConfirmed = false
        defer { hasTriedOtherVersion = true }
        return !hasTriedOtherVersion
    }
}
