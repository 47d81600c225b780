import Odograph
import OdographLink
import OdographTerminal
import OdographWire

/// The messages that the broker retains for single topics.
extension FleetClient {
    /// The state of a request for a retained message.
    enum RetainedState {
        case subscribing
        case subscribed(ContinuousClock.Instant)
        case rejected(String)
        case received(IncomingMessage)
    }

    /// The time after a subscription until a retained message is considered absent, seconds. Normally it comes at once.
    static let retainedTimeoutSeconds = 1.5

    /// Returns the payload that the broker retains for a topic; nil if there is none.
    /// - Throws: `ExitError` if the broker refuses or does not answer.
    package func retainedPayload(of topic: String) async throws(ExitError) -> [UInt8]? {
        try await retainedMessage(of: topic)?.payload
    }

    /// Returns the message that the broker retains for a topic; nil if there is none.
    /// - Throws: `ExitError` if the broker refuses or does not answer.
    func retainedMessage(of topic: String) async throws(ExitError) -> IncomingMessage? {
        retainedStates[topic] = .subscribing
        session.subscribe([topic])
        _ = await wait(seconds: 60) { desk in
            switch desk.retainedStates[topic] {
            case .received, .rejected: true
            case .subscribed(let instant): .now >= instant + .seconds(Self.retainedTimeoutSeconds)
            case .subscribing, nil: false
            }
        }
        switch retainedStates.removeValue(forKey: topic) {
        case .received(let message): return message.payload.isEmpty ? nil : message
        case .subscribed: return nil
        case .rejected(let reason):
            throw ExitError(.noPermission, "the broker does not let you read \(topic): \(reason.printable)")
        case .subscribing, nil:
            throw ExitError(.unavailable, "the broker does not respond to the subscription to \(topic)")
        }
    }
}
