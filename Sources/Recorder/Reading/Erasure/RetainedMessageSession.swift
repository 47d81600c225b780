import Logging
import OdographLink
import OdographSettings
import OdographTerminal

/// A short session with the broker that replaces and reads single retained messages.
actor RetainedMessageSession {
    /// What is known about the retained message of a topic.
    private enum State {
        case subscribing
        case subscribed(ContinuousClock.Instant)
        case refused(String)
        case received([UInt8])
    }

    /// The time limit of the connection, and of the acknowledgement of a message, seconds.
    private static let patienceSeconds = 10.0
    /// The time limit of the answer to a subscription, seconds.
    private static let subscriptionSeconds = 60.0
    /// The time after a subscription until a retained message is considered absent, seconds. Normally it comes at once.
    private static let absenceSeconds = 1.5

    private let session: MQTTSession
    private var events: Task<Void, Never>?
    private var isConnected = false
    private var failure: LinkFailure?
    private var lastToken: UInt64 = 0
    private var acknowledged: Set<UInt64> = []
    private var refusals: [UInt64: String] = [:]
    private var states: [String: State] = [:]

    /// - Parameter link: The settings of the session.
    init(_ link: LinkConfiguration) {
        session = MQTTSession(configuration: link, logger: Logger(label: "odograph") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Connects to the broker.
    /// - Throws: `ExitError` if the broker cannot be reached in time.
    func connect() async throws(ExitError) {
        events = Task { [weak self, session] in
            for await event in session.events { await self?.handle(event) }
        }
        session.start()
        // A permanent error is reported at once, because a new attempt would fail in the same way.
        await wait(seconds: Self.patienceSeconds) { $0.isConnected || $0.failure?.isPermanent == true }
        guard isConnected else {
            let reason = failure.map { "\($0)".printable } ?? "the broker does not respond"
            await disconnect()
            throw ExitError(.unavailable, reason)
        }
    }

    /// Disconnects from the broker.
    func disconnect() async {
        await session.stop()
        events?.cancel()
    }

    /// Publishes a message, and waits for the broker's acknowledgement.
    /// - Throws: `ExitError` if the broker does not accept it.
    func publish(_ message: OutgoingMessage) async throws(ExitError) {
        lastToken += 1
        let token = lastToken
        var message = message
        message.token = token
        session.publish([message])
        await wait(seconds: Self.patienceSeconds) { $0.acknowledged.contains(token) || $0.refusals[token] != nil }
        if let refusal = refusals[token] {
            throw ExitError(.noPermission, "the broker refused the message: \(refusal.printable)")
        }
        guard acknowledged.contains(token) else {
            throw ExitError(
                .unavailable, "the broker did not acknowledge the message within \(Int(Self.patienceSeconds)) s")
        }
    }

    /// Returns whether the broker retains a message for a topic.
    /// - Throws: `ExitError` if the broker refuses or does not answer.
    func hasRetained(_ topic: String) async throws(ExitError) -> Bool {
        states[topic] = .subscribing
        session.subscribe([topic])
        await wait(seconds: Self.subscriptionSeconds) { session in
            switch session.states[topic] {
            case .received, .refused: true
            case .subscribed(let instant): .now >= instant + .seconds(Self.absenceSeconds)
            case .subscribing, nil: false
            }
        }
        switch states.removeValue(forKey: topic) {
        case .received(let payload): return !payload.isEmpty
        case .subscribed: return false
        case .refused(let reason):
            throw ExitError(.noPermission, "the broker does not let you read \(topic): \(reason.printable)")
        case .subscribing, nil:
            throw ExitError(.unavailable, "the broker does not respond to the subscription to \(topic)")
        }
    }

    /// Waits until a condition is true, but at most the given time.
    private func wait(seconds: Double, until isSo: @Sendable (isolated RetainedMessageSession) -> Bool) async {
        let end = ContinuousClock.now + .seconds(seconds)
        while !isSo(self) {
            guard ContinuousClock.now < end, !Task.isCancelled else { return }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    private func handle(_ event: LinkEvent) {
        switch event {
        case .connected: isConnected = true
        case .disconnected(let reason, _): (isConnected, failure) = (false, reason)
        case .acknowledged(let tokens): acknowledged.formUnion(tokens)
        case .refused(let token, _, let text): refusals[token] = text
        case .message(let message) where states[message.topic] != nil:
            states[message.topic] = .received(message.payload)
        case .subscribed(let topic, let refusal) where states[topic] != nil:
            if let refusal {
                states[topic] = .refused(refusal)
            } else if case .subscribing? = states[topic] {
                states[topic] = .subscribed(.now)
            }
        default: break
        }
    }
}
