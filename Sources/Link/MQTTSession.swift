import Glibc
import Logging
import Threads

/// The agent's session with its broker: one thread, one connection after the other, for as long as it is wanted.
///
/// A connection that cannot be had or that ends is tried again for ever. Every connection has a last will and a birth
/// of its own, and renews all subscriptions. All functions may be called from anywhere; none of them waits for the
/// network, save `stop`.
public final class MQTTSession: Sendable {
    /// What the session asks its owner for, on its own thread: the functions must be quick.
    public struct Hooks: Sendable {
        /// The last will of an attempt with this number; nil: none. The caller stores the number, for it must not occur
        /// again after a restart.
        public var will: @Sendable (_ session: Int) -> OutgoingMessage?
        /// What is published first on each connection.
        public var connectMessages: @Sendable (ConnectionInfo) -> [OutgoingMessage]

        /// - Parameters: as the properties of the same names.
        public init(
            will: @escaping @Sendable (_ session: Int) -> OutgoingMessage? = { _ in nil },
            connectMessages: @escaping @Sendable (ConnectionInfo) -> [OutgoingMessage] = { _ in [] }
        ) {
            self.will = will
            self.connectMessages = connectMessages
        }
    }

    /// What happens, for one consumer; it ends after `stop`.
    public let events: LinkEventStream
    private let configuration: LinkConfiguration
    private let hooks: Hooks
    private let firstSessionNumber: Int
    private let logger: Logger
    private let mailbox: Mailbox

    /// - Parameters:
    ///   - configuration: Where the broker is and how to speak to it; values out of their range are brought into it.
    ///   - firstSession: The number of the first attempt; later ones count up.
    ///   - hooks: Will and birth.
    ///   - logger: Told of each change between connected and not, never of a payload or a secret.
    public init(
        configuration: LinkConfiguration, firstSessionNumber: Int = 1, hooks: Hooks = Hooks(), logger: Logger
    ) {
        self.configuration = configuration.clamped
        self.hooks = hooks
        self.firstSessionNumber = firstSessionNumber
        self.logger = logger
        let mailbox = Mailbox()
        self.mailbox = mailbox
        let capacity = max(4 * self.configuration.maximumIncomingBytes, 1 << 20)
        events = LinkEventStream(capacityBytes: capacity) { mailbox.wake() }
    }

    deinit {
        mailbox.post { $0.disconnectMessages = $0.disconnectMessages ?? [] }
    }

    /// Begins to connect. A second call does nothing.
    public func start() {
        guard mailbox.claimStart() else { return }
        let (configuration, hooks, firstSession) = (configuration, hooks, firstSessionNumber)
        let (logger, mailbox, events) = (logger, mailbox, events)
        let isRunning = WorkerThread.start {
            SessionWorker(
                configuration: configuration, hooks: hooks, firstSessionNumber: firstSession, logger: logger,
                mailbox: mailbox, events: events
            ).run()
        }
        guard !isRunning else { return }
        _ = mailbox.finish()
        events.yield(.disconnected(.invalidSetting(detail: "the system has no thread left"), retryInSeconds: nil))
        events.finish()
    }

    /// Publishes the last messages, waits up to 2 s for their acknowledgement, takes leave of the broker (which then
    /// does not send the will) and ends the thread. Returns after 5 s even where the system's resolver still holds it.
    public func stop(disconnectMessages: [OutgoingMessage] = []) async {
        mailbox.post { $0.disconnectMessages = $0.disconnectMessages ?? disconnectMessages }
        let patience = Task { [mailbox] in
            try await Task.sleep(for: .seconds(5))
            mailbox.releaseWaiters()
        }
        await mailbox.waitUntilFinished()
        patience.cancel()
    }

    /// Publishes messages in their order. Without a connection they are returned at once.
    public func publish(_ batch: [OutgoingMessage]) {
        guard !batch.isEmpty else { return }
        let isTaken = mailbox.post { $0.outgoing.append(contentsOf: batch) }
        let tokens = batch.compactMap(\.token)
        if !isTaken, !tokens.isEmpty { events.yield(.unacknowledged(tokens)) }
    }

    /// Subscribes at QoS 1, now and on each later connection.
    public func subscribe(_ filters: [String]) {
        mailbox.post { $0.subscribeFilters.append(contentsOf: filters) }
    }

    /// Ends subscriptions.
    public func unsubscribe(_ filters: [String]) {
        mailbox.post { $0.unsubscribeFilters.append(contentsOf: filters) }
    }

    /// Asks the session's thread for a sign of life: ``LinkEvent/probeAnswered`` comes as soon as it turns.
    public func probe() {
        mailbox.post { $0.isProbeRequested = true }
    }

    /// Drops the connection without a word, or ends the wait for the next attempt.
    public func reconnect() {
        mailbox.post { $0.isReconnectRequested = true }
    }
}
