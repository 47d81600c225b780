extension LinkFailure {
    /// Whether the broker, or the library, refuses this client's certificate, key or name.
    package var isRefusalOfClient: Bool {
        switch self {
        case .certificateRefused, .keyMismatch, .badCredentials, .notAuthorized, .banned: true
        case .fileUnusable(let role, _, _): role != .authorities
        default: false
        }
    }

    /// Whether TLS failed for a reason that has no case of its own.
    package var isOfTLS: Bool {
        if case .tls = self { true } else { false }
    }
}
