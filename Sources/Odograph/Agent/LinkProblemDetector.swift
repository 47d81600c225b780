import Link

/// Decides which problems of the link there are, from what happens to its connections: no clock, no network.
///
/// A connection that ends soon after it began must not take back what is known to be wrong. So the broker counts as reached
/// once it has answered on a connection, or the connection has stayed for a while; and where several connections in a row
/// ended soon, only once one has stayed.
struct LinkProblemDetector {
    /// A change of the problems.
    enum Change: Equatable {
        case raise(ProblemCode, String)
        case clear(ProblemCode)
    }

    /// A connection that ends before this was short, milliseconds: the delays before an attempt begin again at their
    /// shortest after it.
    static let stableConnectionMilliseconds: Int64 = 60_000
    /// A connection that stays for this long without an answer is taken for a good one, milliseconds.
    private static let assumedReachedMilliseconds: Int64 = 10_000
    /// So many short connections in a row are a problem. Fewer may be a broker that is restarted, which ends each once.
    private static let shortConnectionThreshold = 3

    private var connectedUptimeMilliseconds: Int64?
    private var shortConnections = 0
    private var isBrokerReached = false
    private var hasLasted = false

    /// When ``tick(atUptimeMilliseconds:)`` is to be called next, on the monotonic clock; nil where nothing is waited for.
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

    /// The broker let the agent in.
    mutating func handleConnected(atUptimeMilliseconds now: Int64) {
        connectedUptimeMilliseconds = now
        isBrokerReached = false
        hasLasted = false
    }

    /// The broker answered: it acknowledged a message, or granted or refused a subscription.
    mutating func handleBrokerResponse() -> [Change] {
        guard connectedUptimeMilliseconds != nil, !isBrokerReached, !isUnstable else { return [] }
        isBrokerReached = true
        return [.clear(.brokerUnreachable)]
    }

    /// Time has passed.
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

    /// An attempt failed, or the connection ended.
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
        "the broker ended the connection because another client uses the same client id, as after copying a database, or a "
        + "configuration that sets broker.client_id; give each device its own configuration and database, the broker's log "
        + "names the addresses"

    private static func unstableMessage(for failure: LinkFailure, after milliseconds: Int64) -> String {
        let cause =
            switch failure {
            case .closedByBroker:
                "the broker, or the network before it, closed it without a reason; see the broker's log: a limit, rules that "
                    + "end the connection, an unsteady network, or another client with the same client id, as after copying a "
                    + "database, or a configuration that sets broker.client_id"
            default: "\(failure)"
            }
        return "connections to the broker do not last: \(shortConnectionThreshold) or more in a row ended within "
            + "\(stableConnectionMilliseconds / 1000) s, the last one after \(milliseconds / 1000) s; \(cause)"
    }
}
