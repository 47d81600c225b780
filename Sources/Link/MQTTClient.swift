import Glibc
import Logging
import OdographThreads

/// The agent's MQTT client: one thread that keeps a connection until the client is stopped.
///
/// A connection that fails or ends is tried again without a limit. Each attempt has its own last will, and each
/// connection its own connect messages; all subscriptions are renewed. All functions may be called from any thread.
/// None except `stop` waits for the network.
package final class MQTTClient: Sendable {
    /// Functions of the owner that the client calls on its own thread. They must return quickly.
    package struct Hooks: Sendable {
        /// Returns the last will of the attempt with this number; nil for none. The caller stores the number, because
        /// it must not occur again after a restart.
        package var will: @Sendable (_ connection: Int) -> OutgoingMessage?
        /// Returns the messages that are published first on each connection.
        package var connectMessages: @Sendable (ConnectionInfo) -> [OutgoingMessage]
        /// Returns the TLS settings of the attempt that begins, from those of the configuration.
        package var tls: @Sendable (TLSSettings) -> TLSSettings = { $0 }
        /// Called after each attempt without a connection.
        package var attemptFailed: @Sendable (LinkFailure) -> Void = { _ in }

        /// Creates hooks.
        package init(
            will: @escaping @Sendable (_ connection: Int) -> OutgoingMessage? = { _ in nil },
            connectMessages: @escaping @Sendable (ConnectionInfo) -> [OutgoingMessage] = { _ in [] }
        ) {
            self.will = will
            self.connectMessages = connectMessages
        }
    }

    /// The events, for one consumer. The stream ends after `stop`.
    package let events: LinkEventStream
    private let configuration: LinkConfiguration
    private let hooks: Hooks
    private let firstConnectionNumber: Int
    private let logger: Logger
    private let mailbox: Mailbox
    private let resolve: BrokerResolver
    private let currentBroker: Lock<String>
    private let received = Lock<Int64>(0)

    /// - Parameters:
    ///   - configuration: The broker and the settings. A value out of its range is limited to it.
    ///   - firstConnectionNumber: The number of the first attempt; later attempts count up.
    ///   - hooks: The functions for the last will and the connect messages.
    ///   - logger: Logs each connection and each new cause of a failure, but never a payload or a secret.
    package convenience init(
        configuration: LinkConfiguration, firstConnectionNumber: Int = 1, hooks: Hooks = Hooks(), logger: Logger
    ) {
        self.init(
            configuration: configuration, firstConnectionNumber: firstConnectionNumber, hooks: hooks, logger: logger,
            mailbox: Mailbox())
    }

    init(
        configuration: LinkConfiguration, firstConnectionNumber: Int = 1, hooks: Hooks = Hooks(), logger: Logger,
        mailbox: Mailbox, resolve: @escaping BrokerResolver = BrokerAddress.resolved
    ) {
        self.resolve = resolve
        self.configuration = configuration.clamped
        currentBroker = Lock(configuration.endpoint.address)
        self.hooks = hooks
        self.firstConnectionNumber = firstConnectionNumber
        self.logger = logger
        self.mailbox = mailbox
        let capacity = max(4 * self.configuration.maximumIncomingBytes, 1 << 20)
        events = LinkEventStream(capacityBytes: capacity) { mailbox.wake() }
    }

    deinit {
        mailbox.post { $0.disconnectMessages = $0.disconnectMessages ?? [] }
    }

    /// The address of the broker of the present connection, or of the newest attempt.
    package var broker: String { currentBroker.withLock { $0 } }

    /// The bytes that the newest connection has received, with TLS and also of a message that is still arriving. 0
    /// before Linux 4.19.
    package var receivedBytes: Int64 { received.withLock { $0 } }

    /// Starts the thread, which connects. A second call has no effect.
    package func start() {
        guard mailbox.claimStart() else { return }
        let (configuration, hooks, firstConnection) = (configuration, hooks, firstConnectionNumber)
        let (logger, mailbox, events, resolve) = (logger, mailbox, events, resolve)
        let noteBroker = { @Sendable [weak self] (broker: String) in
            if let self { currentBroker.withLock { $0 = broker } }
        }
        let noteReceived = { @Sendable [weak self] (bytes: Int64) in
            if let self { received.withLock { $0 = bytes } }
        }
        guard mailbox.canWake else { return fail("the process has no free file descriptor") }
        let isRunning = WorkerThread.start {
            ClientWorker(
                configuration: configuration, hooks: hooks, firstConnectionNumber: firstConnection, logger: logger,
                mailbox: mailbox, events: events, resolve: resolve, noteBroker: noteBroker, noteReceived: noteReceived
            ).run()
        }
        if !isRunning { fail("the system starts no more threads") }
    }

    /// Ends the client, which could not start.
    private func fail(_ detail: String) {
        let tokens = mailbox.finish().outgoing.compactMap(\.token)
        if !tokens.isEmpty { events.yield(.unacknowledged(tokens)) }
        events.yield(.disconnected(.invalidSetting(detail: detail), retryInSeconds: nil))
        events.finish()
    }

    /// Publishes the last messages, waits up to 2 s for their acknowledgement, disconnects (the broker then does not
    /// send the will) and ends the thread. Returns after 5 s even if the system's resolver still blocks the thread.
    package func stop(disconnectMessages: [OutgoingMessage] = []) async {
        mailbox.post { $0.disconnectMessages = $0.disconnectMessages ?? disconnectMessages }
        let patience = Task { [mailbox] in
            try await Task.sleep(for: .seconds(5))
            mailbox.releaseWaiters()
        }
        await mailbox.waitUntilFinished()
        patience.cancel()
    }

    /// Publishes messages in order. Without a connection their tokens are emitted at once as unacknowledged.
    package func publish(_ batch: [OutgoingMessage]) {
        guard !batch.isEmpty else { return }
        let isTaken = mailbox.post { $0.outgoing.append(contentsOf: batch) }
        let tokens = batch.compactMap(\.token)
        if !isTaken, !tokens.isEmpty { events.yield(.unacknowledged(tokens)) }
    }

    /// Subscribes at QoS 1, on this connection and each later one.
    ///
    /// The broker is also asked again for a filter of an earlier call: it then sends its retained messages again.
    package func subscribe(_ filters: [String]) {
        mailbox.post { $0.subscriptionChanges += filters.map { .subscribe($0) } }
    }

    /// Ends subscriptions, on this connection and for each later one. Messages that are on their way still arrive.
    package func unsubscribe(_ filters: [String]) {
        mailbox.post { $0.subscriptionChanges += filters.map { .unsubscribe($0) } }
    }

    /// Asks the client's thread to emit ``LinkEvent/probeAnswered``, which shows that it is running.
    package func probe() {
        mailbox.post { $0.isProbeRequested = true }
    }

    /// Counts the traffic of all connections from now on, with the headers of TCP and IP, and emits
    /// ``LinkEvent/traffic(bytes:)``. Needs Linux 4.19; an older kernel counts nothing.
    /// - Parameter reportBytes: The number of bytes after which such an event comes at the latest; nil to count
    ///   nothing.
    package func countTraffic(reportBytes: Int64?) {
        mailbox.post { $0.trafficReportBytes = .some(reportBytes) }
    }

    /// Replaces the brokers, drops the connection without a DISCONNECT and connects to the first one. The old broker
    /// publishes the last will.
    /// - Parameter endpoints: The brokers, at least one, in the order in which they are tried.
    package func connect(to endpoints: [LinkConfiguration.Endpoint]) {
        precondition(!endpoints.isEmpty, "a client needs a broker")
        mailbox.post {
            $0.endpoints = endpoints
            $0.isReconnectRequested = true
        }
    }

    /// Drops the connection without a DISCONNECT, or ends the wait for the next attempt. No effect during an attempt.
    package func reconnect() {
        mailbox.post { $0.isReconnectRequested = true }
    }
}
