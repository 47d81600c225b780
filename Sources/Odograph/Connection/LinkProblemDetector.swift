import OdographLink

/// Decides which problems the link has, from the events of its connections. It uses no clock and no network.
///
/// A short connection must not clear a known problem. The broker counts as reached when it has answered on a
/// connection, or when the connection has lasted for 10 s. After several short connections in a row, only a connection
/// of 60 s counts.
struct LinkProblemDetector {
    enum Change: Equatable {
        case raise(Problem.Code, String)
        case clear(Problem.Code)
    }

    /// The duration below which a connection is short, milliseconds. The link resets its reconnection delay after the
    /// same duration.
    static let stableConnectionMilliseconds: Int64 = 60_000
    /// The duration after which a connection without an answer counts as good, milliseconds.
    private static let assumedReachedMilliseconds: Int64 = 10_000
    /// The number of short connections in a row that is a problem. A broker that restarts causes fewer: it ends each
    /// connection once.
    private static let shortConnectionThreshold = 3

    private var connectedUptimeMilliseconds: Int64?
    private var shortConnections = 0
    private var isBrokerReached = false
    private var hasLasted = false

    /// The time of the next call of ``tick(atUptimeMilliseconds:)``, on the monotonic clock. nil if none is needed.
    var dueUptimeMilliseconds: Int64? {
        connectedUptimeMilliseconds.flatMap { since in
            hasLasted
                ? nil
                : since
                    + (isBrokerReached || isUnstable
                        ? Self.stableConnectionMilliseconds : Self.assumedReachedMilliseconds)
        }
    }

    private var isUnstable: Bool { shortConnections >= Self.shortConnectionThreshold }

    mutating func handleConnected(atUptimeMilliseconds now: Int64) {
        connectedUptimeMilliseconds = now
        isBrokerReached = false
        hasLasted = false
    }

    /// Handles an answer of the broker: it acknowledged a message, or granted or refused a subscription.
    mutating func handleBrokerResponse() -> [Change] {
        guard connectedUptimeMilliseconds != nil, !isBrokerReached, !isUnstable else { return [] }
        isBrokerReached = true
        return [.clear(.brokerUnreachable)]
    }

    mutating func tick(atUptimeMilliseconds now: Int64) -> [Change] {
        guard let since = connectedUptimeMilliseconds, !hasLasted else { return [] }
        if now - since >= Self.stableConnectionMilliseconds {
            hasLasted = true
            isBrokerReached = true
            shortConnections = 0
            return [.clear(.brokerUnreachable), .clear(.connectionUnstable), .clear(.clientIDShared)]
        }
        return now - since >= Self.assumedReachedMilliseconds ? handleBrokerResponse() : []
    }

    /// Handles a failed attempt or the end of the connection.
    mutating func handleDisconnected(_ failure: LinkFailure, atUptimeMilliseconds now: Int64) -> [Change] {
        let since = connectedUptimeMilliseconds
        connectedUptimeMilliseconds = nil
        guard failure != .byRequest else { return [] }
        var changes = [Change.raise(.brokerUnreachable, "\(failure)")]
        guard let since else { return changes }
        shortConnections = now - since < Self.stableConnectionMilliseconds ? shortConnections + 1 : 0
        if case .sessionTakenOver = failure {
            changes.append(.raise(.clientIDShared, Self.clientIDSharedMessage))
        } else if isUnstable {
            changes.append(.raise(.connectionUnstable, Self.unstableMessage(for: failure, after: now - since)))
        }
        return changes
    }

    private static let clientIDSharedMessage =
        "the broker ended the connection because another client uses the same client id: a database was copied, or a "
        + "configuration with broker.client_id; give each device its own configuration and database (the broker's log "
        + "contains the addresses)"

    private static func unstableMessage(for failure: LinkFailure, after milliseconds: Int64) -> String {
        let cause =
            switch failure {
            case .closedByBroker:
                "the broker or the network closed it without a reason; see the broker's log: possible causes are a "
                    + "limit, access rules, an unstable network, or another client with the same client id (a copied "
                    + "database, or a copied configuration with broker.client_id)"
            default: "\(failure)"
            }
        return "the broker connection is unstable: \(shortConnectionThreshold) or more connections in a row ended "
            + "within \(stableConnectionMilliseconds / 1000) s, the last one after \(milliseconds / 1000) s; \(cause)"
    }
}
