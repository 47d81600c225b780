import OdographLink

/// Decides with which certificate an attempt to connect is made: with the one in use, or with a new one that the broker
/// has not accepted yet. It uses no file and no network.
///
/// A broker that cannot be reached says nothing about a certificate: the next attempt is made with the one in use, so
/// that a new one never keeps the vehicle offline. Only the broker's refusal ends the trial. It often closes the
/// connection without a reason, as a bad network does: then only the third time in a row counts.
package struct CertificateTrial: Hashable, Sendable {
    package enum Verdict: Hashable, Sendable {
        /// The attempt was not made with the new certificate, or says nothing about it.
        case open
        case accepted
        case refused(LinkFailure)
    }

    private static let vagueLimit = 3

    private var isCandidateTurn = true
    private var usesCandidate = false
    private var vagueFailures = 0

    package init() {}

    /// Begins an attempt.
    /// - Parameter hasCandidate: Whether there is a new certificate.
    /// - Returns: Whether it is to be used.
    package mutating func begin(hasCandidate: Bool) -> Bool {
        usesCandidate = hasCandidate && isCandidateTurn
        isCandidateTurn = true
        return usesCandidate
    }

    /// Handles the broker's consent.
    package mutating func handleConnected() -> Verdict {
        defer { self = CertificateTrial() }
        return usesCandidate ? .accepted : .open
    }

    /// Handles the end of an attempt without a connection.
    package mutating func handleFailure(_ failure: LinkFailure) -> Verdict {
        guard usesCandidate else { return .open }
        usesCandidate = false
        if failure.isVague || failure.isOfTLS {
            vagueFailures += 1
        } else if !failure.isRefusalOfClient {
            isCandidateTurn = false
            return .open
        }
        guard failure.isRefusalOfClient || vagueFailures == Self.vagueLimit else { return .open }
        self = CertificateTrial()
        return .refused(failure)
    }
}
