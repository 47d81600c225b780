import Link

/// Decides which problems of the link there are, from what happens to its connections: no clock, no network.
///
/// A connection that ends soon after it began must not take back what is known to be wrong. So the broker counts as reached
/// once it has answered on a connection, or the connection has stayed for a while; and where several connections in a row
/// ended soon, only once one has stayed.
struct LinkProblems {
    /// A change of the problems.
    enum Change: Equatable {
        case raise(ProblemCode, String)
        case settle(ProblemCode)
    }

    /// A connection that ends before this was short, milliseconds: the delays before an attempt begin again at their
    /// shortest after it.
    static let calmMilliseconds: Int64 = 60_000
    /// A connection that stays for this long without an answer is taken for a good one, milliseconds.
    private static let quietMilliseconds: Int64 = 10_000
    /// So many short connections in a row are a problem. Fewer may be a broker that is restarted, which ends each once.
    private static let mostShort = 3

    private var connectedUptimeMilliseconds: Int64?
    private var shortConnections = 0
    private var isReached = false
    private var isCalm = false

    /// When ``tick(atUptimeMilliseconds:)`` is to be called next, on the monotonic clock; nil where nothing is waited for.
    var dueUptimeMilliseconds: Int64? {
        connectedUptimeMilliseconds.flatMap { since in
            isCalm ? nil : since + (isReached || isUnstable ? Self.calmMilliseconds : Self.quietMilliseconds)
        }
    }

    private var isUnstable: Bool { shortConnections >= Self.mostShort }

    /// The broker let the agent in.
    mutating func connected(atUptimeMilliseconds now: Int64) {
        connectedUptimeMilliseconds = now
        isReached = false
        isCalm = false
    }

    /// The broker answered: it acknowledged a message, or granted or refused a subscription.
    mutating func answered() -> [Change] {
        guard connectedUptimeMilliseconds != nil, !isReached, !isUnstable else { return [] }
        isReached = true
        return [.settle(.brokerUnreachable)]
    }

    /// Time has passed.
    mutating func tick(atUptimeMilliseconds now: Int64) -> [Change] {
        guard let since = connectedUptimeMilliseconds, !isCalm else { return [] }
        if now - since >= Self.calmMilliseconds {
            isCalm = true
            isReached = true
            shortConnections = 0
            return [.settle(.brokerUnreachable), .settle(.connectionUnstable), .settle(.clientIDShared)]
        }
        return now - since >= Self.quietMilliseconds ? answered() : []
    }

    /// An attempt failed, or the connection ended.
    mutating func disconnected(_ failure: LinkFailure, atUptimeMilliseconds now: Int64) -> [Change] {
        let since = connectedUptimeMilliseconds
        connectedUptimeMilliseconds = nil
        guard failure != .byRequest else { return [] }
        var changes = [Change.raise(.brokerUnreachable, "\(failure)")]
        guard let since else { return changes }
        shortConnections = now - since < Self.calmMilliseconds ? shortConnections + 1 : 0
        if case .sessionTakenOver = failure {
            changes.append(.raise(.clientIDShared, Self.sharedSentence))
        } else if isUnstable {
            changes.append(.raise(.connectionUnstable, Self.sentence(ofUnstable: failure, after: now - since)))
        }
        return changes
    }

    private static let sharedSentence =
        "the broker ended the connection because another client uses the same client id, as after copying a database, or a "
        + "configuration that sets broker.client_id; give each device its own configuration and database, the broker's log "
        + "names the addresses"

    private static func sentence(ofUnstable failure: LinkFailure, after milliseconds: Int64) -> String {
        let cause =
            switch failure {
            case .closedByBroker:
                "the broker, or the network before it, closed it without a reason; see the broker's log: a limit, rules that "
                    + "end the connection, an unsteady network, or another client with the same client id, as after copying a "
                    + "database, or a configuration that sets broker.client_id"
            default: "\(failure)"
            }
        return "connections to the broker do not last: \(mostShort) or more in a row ended within "
            + "\(calmMilliseconds / 1000) s, the last one after \(milliseconds / 1000) s; \(cause)"
    }
}
