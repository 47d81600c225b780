import OdographLink

/// The decision when the agent leaves its brokers for those that a configuration document names.
///
/// The agent proves new brokers beside its connection (``BrokerProof``) before it leaves the old ones. It goes back if
/// it then cannot connect.
struct BrokerMove: Hashable, Sendable {
    /// The work for the owner.
    enum Action: Hashable, Sendable {
        /// Prove that the agent can use these brokers, and end the proof of others.
        case prove([BrokerURL])
        /// End the proof.
        case endProof
        /// Save ``BrokerMove/inForce``, and connect to them.
        case connect
    }

    /// The state of a move.
    private enum Phase: Hashable, Sendable {
        case settled
        case proving
        /// The brokers could not be used; they are tried again at this time.
        case failed(retryUptimeMilliseconds: Int64)
        /// The agent has left these brokers, and goes back at this time if it has no connection.
        case arriving(former: [BrokerURL], untilUptimeMilliseconds: Int64)
    }

    /// The time after which a proof is tried again, and the time in which the agent must have connected, milliseconds.
    private static let (retryMilliseconds, arrivalMilliseconds): (Int64, Int64) = (600_000, 300_000)

    /// The brokers to which the agent connects, at least one.
    private(set) var inForce: [BrokerURL]
    /// The reason why ``wanted`` are not in force; nil if they are, or are being proved for the first time.
    private(set) var failure: String?
    /// The brokers that the configuration names.
    private var wanted: [BrokerURL]
    private var phase = Phase.settled

    init(inForce: [BrokerURL]) {
        self.inForce = inForce
        wanted = inForce
    }

    /// The time of the next ``tick(atUptimeMilliseconds:)``; nil if none is needed.
    var dueUptimeMilliseconds: Int64? {
        switch phase {
        case .settled, .proving: nil
        case .failed(let retry): retry
        case .arriving(_, let until): until
        }
    }

    /// Handles the brokers that the configuration in force names.
    mutating func want(_ brokers: [BrokerURL]) -> [Action] {
        guard brokers != wanted else { return [] }
        wanted = brokers
        failure = nil
        switch phase {
        case .arriving: return []
        case .proving where brokers == inForce:
            phase = .settled
            return [.endProof]
        case .settled, .proving, .failed: return begin()
        }
    }

    private mutating func begin() -> [Action] {
        guard wanted != inForce else {
            phase = .settled
            return []
        }
        phase = .proving
        return [.prove(wanted)]
    }

    /// Handles the end of a proof.
    /// - Parameter failure: Why these brokers cannot be used; nil if they can.
    mutating func handleProof(of brokers: [BrokerURL], failure: String?, atUptimeMilliseconds now: Int64) -> [Action] {
        guard phase == .proving, brokers == wanted else { return [] }
        self.failure = failure
        guard failure == nil else {
            phase = .failed(retryUptimeMilliseconds: now + Self.retryMilliseconds)
            return []
        }
        phase = .arriving(former: inForce, untilUptimeMilliseconds: now + Self.arrivalMilliseconds)
        inForce = wanted
        return [.connect]
    }

    /// Handles a connection to a broker.
    mutating func handleConnected(to broker: String) -> [Action] {
        guard case .arriving = phase, inForce.contains(where: { $0.description == broker }) else { return [] }
        return begin()
    }

    /// Handles a time that was due.
    mutating func tick(atUptimeMilliseconds now: Int64) -> [Action] {
        guard let due = dueUptimeMilliseconds, now >= due else { return [] }
        switch phase {
        case .settled, .proving: return []
        case .failed: return begin()
        case .arriving(let former, _):
            let isWanted = wanted == inForce
            inForce = former
            guard isWanted else { return [.connect] + begin() }
            failure = "no connection within \(Self.arrivalMilliseconds / 1000) s after the move"
            phase = .failed(retryUptimeMilliseconds: now + Self.retryMilliseconds)
            return [.connect]
        }
    }
}
