import OdographLink
import OdographSettings
import OdographThreads

/// A program that asks a broker and waits for its answers.
package protocol BrokerClient: Actor {
    /// The client. The client passes its events to ``answers``, and its messages as far as they answer a request.
    var client: MQTTClient { get }
    /// The broker's answers so far.
    var answers: BrokerAnswers { get set }

    /// Disconnects from the broker.
    func disconnect() async
}

extension BrokerClient {
    /// Waits for the connection, and disconnects without one.
    /// - Throws: `ExitError` if the broker cannot be reached in time.
    package func awaitConnection(seconds: Double) async throws(ExitError) {
        // A permanent error is reported at once, because a new attempt would fail in the same way.
        _ = await wait(atMost: seconds) { $0.answers.isConnected || $0.answers.lastFailure?.isPermanent == true }
        guard answers.isConnected else {
            let reason = answers.lastFailure.map { "\($0)".printable } ?? "the broker does not respond"
            await disconnect()
            throw ExitError(.unavailable, reason)
        }
    }

    /// Publishes a message, and waits for the broker's acknowledgement.
    /// - Throws: `ExitError` if the broker does not accept it.
    package func publish(_ message: OutgoingMessage) async throws(ExitError) {
        let token = answers.newToken()
        var message = message
        message.token = token
        client.publish([message])
        // Allows for a large document over a slow link of 100 kB/s.
        let patience = 10 + Double(message.payload.count) / 1e5
        _ = await wait(atMost: patience) {
            $0.answers.acknowledged.contains(token) || $0.answers.refusals[token] != nil
        }
        if let refusal = answers.refusals[token] {
            throw ExitError(.noPermission, "the broker refused the message: \(refusal.printable)")
        }
        guard answers.acknowledged.contains(token) else {
            throw ExitError(.unavailable, "the broker did not acknowledge the message within \(Int(patience)) s")
        }
    }

    /// Returns the message that the broker retains for a topic; nil if there is none.
    /// - Throws: `ExitError` if the broker refuses or does not answer.
    package func retainedMessage(of topic: String) async throws(ExitError) -> IncomingMessage? {
        answers.retained[topic] = .subscribing
        client.subscribe([topic])
        _ = await wait(atMost: 60) { client in
            switch client.answers.retained[topic] {
            case .received, .refused: true
            case .subscribed(let instant): .now >= instant + .seconds(BrokerAnswers.absenceSeconds)
            case .subscribing, nil: false
            }
        }
        switch answers.retained.removeValue(forKey: topic) {
        case .received(let message): return message.payload.isEmpty ? nil : message
        case .subscribed: return nil
        case .refused(let reason):
            throw ExitError(.noPermission, "the broker does not let you read \(topic): \(reason.printable)")
        case .subscribing, nil:
            throw ExitError(.unavailable, "the broker does not respond to the subscription to \(topic)")
        }
    }
}
