/// The choice of the MQTT version for the next attempt.
///
/// A broker without MQTT 5 should refuse that version: then 3.1.1 is used. Some only close the connection, and some
/// answer in a form that an MQTT 5 client cannot read. A broker that is full or a network without a way to it closes as
/// well. So after an attempt without an answer, 3.1.1 is used for one attempt and the connection that results from it.
struct VersionNegotiation {
    /// The attempts in a row without an answer after which MQTT 5 is doubted although it has worked.
    private static let mostUnanswered = 3

    let preference: ProtocolPreference
    private(set) var version: MQTTVersion
    private var hasSpokenVersion5: Bool
    /// Whether the broker said that it does not support MQTT 5.
    private var isVersion5Refused = false
    /// The attempts with MQTT 5 that got no answer since the last one that was accepted.
    private var unanswered = 0
    /// Whether a change of the version needs no delay: each version is tried once, also after each connection.
    private var changesAtOnce = true

    /// - Parameter hasSpokenVersion5: Whether a broker accepted MQTT 5 in an earlier run.
    init(preference: ProtocolPreference, hasSpokenVersion5: Bool) {
        self.preference = preference
        self.hasSpokenVersion5 = hasSpokenVersion5
        version = preference == .v311 ? .v311 : .v5
    }

    /// The result of an attempt, or of the connection that it began, as far as the version is concerned.
    enum Outcome {
        /// The broker accepted the connection.
        case accepted
        /// The broker refused the version.
        case versionRefused
        /// The broker closed the connection or sent invalid data instead of CONNACK.
        case noAnswer
        /// The attempt failed for another reason, such as the network or the credentials, or the connection has ended.
        case unrelated
    }

    /// Records the result of an attempt. Returns whether to try the other version at once.
    mutating func recordOutcome(_ outcome: Outcome) -> Bool {
        guard preference == .automatic else { return false }
        switch (version, outcome) {
        case (_, .accepted):
            if version == .v5 { (hasSpokenVersion5, unanswered) = (true, 0) }
            changesAtOnce = true
            return false
        case (.v5, .versionRefused):
            isVersion5Refused = true
            return change(to: .v311)
        case (.v5, .noAnswer):
            unanswered += 1
            return unanswered >= (hasSpokenVersion5 ? Self.mostUnanswered : 1) && change(to: .v311)
        case (.v5, .unrelated):
            return false
        case (.v311, .versionRefused), (.v311, .noAnswer):
            isVersion5Refused = false
            return change(to: .v5)
        case (.v311, .unrelated):
            if !isVersion5Refused { (version, unanswered) = (.v5, 0) }
            return false
        }
    }

    /// Changes the version.
    /// - Returns: whether the next attempt needs no delay.
    private mutating func change(to new: MQTTVersion) -> Bool {
        (version, unanswered) = (new, 0)
        defer { changesAtOnce = false }
        return changesAtOnce
    }
}
