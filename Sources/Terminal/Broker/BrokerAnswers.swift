import OdographLink

/// A broker's answers to a program that asks it: to messages, and to requests for retained messages of single topics.
package struct BrokerAnswers {
    /// The state of a request for a retained message.
    enum Retained {
        case subscribing
        case subscribed(ContinuousClock.Instant)
        case refused(String)
        case received(IncomingMessage)
    }

    /// The time after a subscription until a retained message is considered absent, seconds. Normally it comes at once.
    package static let absenceSeconds = 1.5

    /// Whether the program is connected.
    package private(set) var isConnected = false
    /// The reason why the last connection failed; nil if none did.
    package private(set) var lastFailure: LinkFailure?
    private(set) var acknowledged: Set<UInt64> = []
    /// The broker's words for each message that it has refused, by token.
    package private(set) var refusals: [UInt64: String] = [:]
    /// The requests for retained messages, by topic.
    var retained: [String: Retained] = [:]
    private var lastToken: UInt64 = 0

    /// Creates answers of a broker that has not been asked.
    package init() {}

    /// Returns a number for a message that no other message has.
    package mutating func newToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    /// Handles an event of the client. Messages go to ``take(_:)``.
    package mutating func handle(_ event: LinkEvent) {
        switch event {
        case .connected: isConnected = true
        // The end by request is no reason for the failure before it.
        case .disconnected(let reason, _):
            (isConnected, lastFailure) = (false, reason == .byRequest ? lastFailure : reason)
        case .acknowledged(let tokens): acknowledged.formUnion(tokens)
        case .refused(let token, _, let text): refusals[token] = text
        case .subscribed(let topic, let refusal) where retained[topic] != nil:
            if let refusal {
                retained[topic] = .refused(refusal)
            } else if case .subscribing? = retained[topic] {
                retained[topic] = .subscribed(.now)
            }
        default: break
        }
    }

    /// Takes a message that answers a request for a retained one.
    /// - Returns: Whether it does.
    package mutating func take(_ message: IncomingMessage) -> Bool {
        guard retained[message.topic] != nil else { return false }
        retained[message.topic] = .received(message)
        return true
    }
}
