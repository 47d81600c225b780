import Glibc
import Logging
import OdographThreads

/// The loop of the client's thread: connect, serve the connection, wait, repeat. Used only on that thread.
final class ClientWorker {
    /// The configuration, with the broker of the present attempt as the first one.
    private var configuration: LinkConfiguration
    private var endpoints: [LinkConfiguration.Endpoint]
    private var rotation: BrokerRotation
    /// The brokers that replace the present ones before the next attempt; nil for none.
    private var newEndpoints: [LinkConfiguration.Endpoint]?
    private let hooks: MQTTClient.Hooks
    private let logger: Logger
    private let mailbox: Mailbox
    private let events: LinkEventStream
    private var negotiation: VersionNegotiation
    private var backoff: Backoff
    private var generator = SystemRandomNumberGenerator()
    private var connectionNumber: Int
    private var attempt = 0
    private var filters: [String] = []
    private var disconnectMessages: [OutgoingMessage]?
    private var loggedFailure: LinkFailure?
    /// The state of the keep-alive that adapts; nil if the interval is fixed.
    private var keepAlive: AdaptiveKeepAlive?
    /// The end of the previous connection after a silence; nil if it ended otherwise, or an attempt has failed since.
    private var silentEnd: SilentEnd?
    private var hasWarnedOfShortest = false
    /// The broker's refusal of this client's certificate, until an attempt has another cause.
    private var refusal: LinkFailure?
    /// Returns the addresses of a host.
    private let resolve: BrokerResolver
    /// Takes the address of the broker of each attempt.
    private let noteBroker: (String) -> Void
    /// Takes the bytes that the present connection has received.
    private let noteReceived: (Int64) -> Void
    private var addressOrder = AddressOrder()
    private var traffic = ClientTraffic()

    /// The time limit for the last messages, in milliseconds.
    private static let disconnectTimeoutMilliseconds: Int64 = 2000

    init(
        configuration: LinkConfiguration, hooks: MQTTClient.Hooks, firstConnectionNumber: Int, logger: Logger,
        mailbox: Mailbox,
        events: LinkEventStream, resolve: @escaping BrokerResolver, noteBroker: @escaping (String) -> Void,
        noteReceived: @escaping (Int64) -> Void
    ) {
        self.configuration = configuration
        endpoints = configuration.endpoints
        rotation = Self.rotation(of: endpoints, configuration)
        self.resolve = resolve
        self.noteBroker = noteBroker
        self.noteReceived = noteReceived
        self.hooks = hooks
        self.logger = logger
        self.mailbox = mailbox
        self.events = events
        connectionNumber = firstConnectionNumber - 1
        negotiation = VersionNegotiation(
            preference: configuration.protocolPreference, hasSpokenVersion5: configuration.hasSpokenVersion5)
        backoff = Backoff(
            minimumSeconds: configuration.backoffMinimumSeconds, maximumSeconds: configuration.backoffMaximumSeconds,
            resetSeconds: configuration.backoffResetSeconds)
        keepAlive = configuration.keepAliveLimits(
            announcedMilliseconds: Int64(configuration.announcedKeepAliveSeconds) * 1000
        ).map { AdaptiveKeepAlive(limits: $0, memory: configuration.rememberedKeepAlive ?? KeepAliveMemory()) }
    }

    func run() {
        // The requests from before the start.
        processMailbox(nil)
        while disconnectMessages == nil {
            prepareAttempt()
            attempt += 1
            connectionNumber += 1
            events.yield(.connecting(attempt: attempt))
            var end = runConnection()
            finishTraffic()
            guard disconnectMessages == nil else { break }
            end.failure = explained(end)
            if !end.wasConnected { hooks.attemptFailed(end.failure) }
            let isImmediate = negotiation.recordOutcome(end.versionOutcome)
            let delay = isImmediate ? 0 : delaySeconds(after: end)
            log(end.failure, isImmediate: isImmediate)
            if !isImmediate { handle(end) }
            events.yield(.disconnected(end.failure, retryInSeconds: delay))
            wait(seconds: delay)
        }
        events.yield(.disconnected(.byRequest, retryInSeconds: nil))
        emitUnacknowledged((disconnectMessages ?? []) + mailbox.finish().outgoing)
        events.finish()
    }

    private static func rotation(
        of endpoints: [LinkConfiguration.Endpoint], _ configuration: LinkConfiguration
    ) -> BrokerRotation {
        BrokerRotation(
            count: endpoints.count, shortestLookMilliseconds: Int64(configuration.shortestLookSeconds * 1000))
    }

    /// Chooses the broker of the next attempt. Another broker may support another version of the protocol.
    private func prepareAttempt() {
        if let newEndpoints {
            endpoints = newEndpoints
            rotation = Self.rotation(of: endpoints, configuration)
            self.newEndpoints = nil
        }
        let next = endpoints[rotation.place]
        noteBroker(next.address)
        guard next != configuration.endpoint else { return }
        configuration.endpoint = next
        negotiation = VersionNegotiation(preference: configuration.protocolPreference, hasSpokenVersion5: false)
        (addressOrder, silentEnd) = (AddressOrder(), nil)
    }

    private func handle(_ end: ConnectionEnd) {
        guard let connectedSeconds = end.connectedSeconds else {
            return rotation.handleEnd(triesAgain: end.failure == .byRequest)
        }
        if end.isUnanswered { addressOrder.noteUnanswered() }
        rotation.handleEnd(
            triesAgain: !end.isUnanswered
                && (!end.failure.isEndByBroker || connectedSeconds >= configuration.backoffResetSeconds))
    }

    /// Looks from time to time whether the first broker accepts connections, on a thread of its own: the system's
    /// resolver can block for long.
    private func lookAtFirstBroker(_ connection: BrokerConnection) {
        if rotation.takeLook(atMilliseconds: monotonicMilliseconds()), let first = endpoints.first {
            // Without a thread, the next look is tried.
            _ = WorkerThread.start { [resolve, mailbox] in
                let addresses = (try? resolve(first.host)) ?? []
                guard addresses.contains(where: { $0.acceptsConnection(port: first.port) }) else { return }
                mailbox.post { $0.isFirstBrokerBack = true }
            }
        }
        connection.pollDeadlineMilliseconds = rotation.lookDueMilliseconds ?? .max
    }

    /// Returns the more precise one of a failure and the refusal of this client's certificate by the attempt before:
    /// the broker gives its reason in some attempts only.
    private func explained(_ end: ConnectionEnd) -> LinkFailure {
        if end.wasConnected || !end.failure.isVague { refusal = nil }
        if case .certificateRefused = end.failure { refusal = end.failure }
        return refusal ?? end.failure
    }

    private func delaySeconds(after end: ConnectionEnd) -> Double {
        if end.failure.isEndByBroker, let seconds = end.connectedSeconds, seconds >= configuration.backoffResetSeconds {
            return backoff.spreadDelaySeconds(using: &generator)
        }
        let delay = backoff.nextDelaySeconds(connectedSeconds: end.connectedSeconds, using: &generator)
        // This program has ended a connection that worked, whatever failed before it.
        return end.failure == .byRequest ? 0 : delay
    }

    private func log(_ failure: LinkFailure, isImmediate: Bool) {
        guard failure != loggedFailure, failure != .byRequest, !isImmediate else { return }
        loggedFailure = failure
        logger.warning("no connection to the broker, retrying: \(failure)")
    }

    private func runConnection() -> ConnectionEnd {
        let connection: BrokerConnection
        do {
            connection = try connect()
        } catch {
            silentEnd = nil
            return ConnectionEnd(failure: error)
        }
        learn(from: connection)
        serve(connection)
        keepAlive = connection.keepAlive ?? keepAlive
        silentEnd = connection.silentEnd
        connection.emitUnacknowledged()
        let failure = connection.failure ?? .byRequest
        return ConnectionEnd(
            failure: failure,
            connectedSeconds: connection.connectedAtMilliseconds.map { Double(monotonicMilliseconds() - $0) / 1000 },
            isUnanswered: failure.isWithoutAnswer && !connection.hasAnswered)
    }

    /// Connects to one address of the broker after the other, until one accepts.
    private func connect() throws(LinkFailure) -> BrokerConnection {
        let addresses = addressOrder.ordered(try resolve(configuration.endpoint.host))
        // One without a route fails at once, so the address before it need not hurry.
        let lastWithRoute = addresses.last(where: \.hasRoute)
        var failures: [(address: BrokerAddress, failure: LinkFailure)] = []
        var configuration = configuration
        if case .tls(let settings) = configuration.endpoint.transport {
            configuration.endpoint.transport = .tls(hooks.tls(settings))
        }
        for address in addresses {
            finishTraffic()
            let connection = try BrokerConnection(
                configuration: configuration, version: negotiation.version, connectionNumber: connectionNumber,
                will: hooks.will(connectionNumber), mailbox: mailbox, events: events)
            connection.connect(to: address, isLast: address == lastWithRoute)
            if let socket = connection.handle.socket { traffic.begin(socket) }
            while connection.failure == nil, connection.connectedAtMilliseconds == nil, disconnectMessages == nil {
                connection.pollOnce()
                if connection.hasMail { processMailbox(nil) }
            }
            // Of a broker that accepts and closes at once, both can be known here.
            let isConnected = connection.connectedAtMilliseconds != nil
            if isConnected { addressOrder.noteAccepted(at: address) }
            guard let failure = connection.failure, !isConnected else { return connection }
            guard failure.isOfAddress else {
                addressOrder.noteRefused(at: address)
                throw failure
            }
            failures.append((address, reached(address, by: connection) ?? failure))
        }
        throw LinkFailure(failures, host: configuration.endpoint.host)
    }

    /// Returns the network's error for an address, if a connection to it was never accepted and ended without a reason:
    /// the TLS library takes the error of a connection that the host refuses.
    private func reached(_ address: BrokerAddress, by connection: BrokerConnection) -> LinkFailure? {
        guard !connection.hasReachedHost, connection.failure?.isVague == true,
            let error = address.connectionError(port: configuration.endpoint.port)
        else { return nil }
        return LinkFailure(systemError: error, wasConnected: false, configuration: configuration)
    }

    private func serve(_ connection: BrokerConnection) {
        guard let information = connection.connectionInfo else { return }
        _ = negotiation.recordOutcome(.accepted)
        rotation.handleConnected(atMilliseconds: monotonicMilliseconds())
        attempt = 0
        loggedFailure = nil
        logger.info(
            "connected to the broker",
            metadata: [
                "protocol": "MQTT \(information.protocolVersion.rawValue)", "connection": "\(connectionNumber)",
                "broker": "\(information.broker)", "address": "\(addressOrder.newest?.text ?? "")",
            ])
        // A receiver of `.connected` may refer to the connect messages, so they are built first.
        let birth = hooks.connectMessages(information)
        events.yield(.connected(information))
        // What came with the acceptance in one turn of the library's loop.
        emitEvents(of: connection)
        for filter in filters { connection.subscribe(filter) }
        connection.pendingMessages.append(birth)
        processMailbox(connection)
        noteTraffic(isAtOnce: true)
        while connection.failure == nil, disconnectMessages == nil {
            connection.sendPending()
            lookAtFirstBroker(connection)
            connection.pollOnce()
            emitEvents(of: connection)
            noteTraffic()
            if connection.hasMail { processMailbox(connection) }
        }
        if connection.failure == nil { disconnect(connection) }
    }

    /// Emits the events of a connection. The bytes of a message are counted when somebody handles it.
    private func emitEvents(of connection: BrokerConnection) {
        if let socket = connection.handle.socket, let counters = TCPCounters(socket: socket) {
            noteReceived(counters.bytesReceived)
        }
        connection.emitCallbackEvents()
    }

    /// Counts the traffic of the connection.
    private func noteTraffic(isAtOnce: Bool = false) {
        if let bytes = traffic.update(isAtOnce: isAtOnce) { events.yield(.traffic(bytes: bytes)) }
    }

    /// Counts the rest of the traffic of a connection that is over.
    private func finishTraffic() {
        if let bytes = traffic.finish() { events.yield(.traffic(bytes: bytes)) }
    }

    /// Gives a new connection the state of the keep-alive, with what the end of the previous one says.
    private func learn(from connection: BrokerConnection) {
        guard var keepAlive, connection.connectedAtMilliseconds != nil else { return }
        let now = BrokerConnection.bootMilliseconds()
        if let end = silentEnd, end.isConfirmed(atMilliseconds: now, localAddress: connection.localAddress) {
            let former = keepAlive.search
            keepAlive.handleFailure(silenceMilliseconds: end.silenceMilliseconds)
            if keepAlive.search != former { report(keepAlive.search, failedMilliseconds: end.silenceMilliseconds) }
        }
        self.keepAlive = keepAlive
        connection.begin(keepAlive)
    }

    private func report(_ search: KeepAliveSearch, failedMilliseconds: Int64) {
        events.yield(.keepAliveLearned(search.memory))
        let seconds = failedMilliseconds / 1000
        if search.isShortestTooLong, !hasWarnedOfShortest {
            hasWarnedOfShortest = true
            logger.warning(
                "the network forgets a connection after \(seconds) s without traffic; lower keep_alive")
        } else {
            logger.debug(
                "the connection was dead after \(seconds) s without traffic",
                metadata: ["keep_alive": "\(search.silenceMilliseconds / 1000) s"])
        }
    }

    /// Sends the urgent and the last messages, waits for their acknowledgement, and disconnects.
    private func disconnect(_ connection: BrokerConnection) {
        let given = connection.pendingMessages.removeBulk()
        if !given.isEmpty { events.yield(.unacknowledged(given)) }
        connection.pendingMessages.append(disconnectMessages ?? [])
        disconnectMessages = []
        let deadline = monotonicMilliseconds() + Self.disconnectTimeoutMilliseconds
        connection.pollDeadlineMilliseconds = deadline
        while connection.failure == nil, connection.inFlight.count > 0 || !connection.pendingMessages.isEmpty,
            monotonicMilliseconds() < deadline
        {
            connection.sendPending()
            connection.pollOnce()
            connection.emitCallbackEvents()
            if connection.hasMail { emitUnacknowledged(mailbox.removeAll().outgoing) }
        }
        if connection.failure == nil { connection.handle.disconnect() }
        logger.info("disconnected from the broker")
    }

    /// - Parameter connection: Nil if there is none that accepts messages.
    private func processMailbox(_ connection: BrokerConnection?) {
        let mail = mailbox.removeAll()
        connection?.hasMail = false
        for change in mail.subscriptionChanges {
            switch change {
            case .subscribe(let filter):
                if !filters.contains(filter) { filters.append(filter) }
                connection?.subscribe(filter)
            case .unsubscribe(let filter):
                filters.removeAll { $0 == filter }
                connection?.unsubscribe(filter)
            }
        }
        if let connection {
            connection.pendingMessages.append(mail.outgoing)
        } else {
            emitUnacknowledged(mail.outgoing)
        }
        if mail.isProbeRequested { events.yield(.probeAnswered) }
        if let reportBytes = mail.trafficReportBytes {
            traffic.configure(reportBytes: reportBytes, socket: connection?.handle.socket)
        }
        if let endpoints = mail.endpoints { newEndpoints = endpoints }
        if mail.isFirstBrokerBack, let connection, rotation.place != 0 {
            logger.notice("the first broker accepts connections again; returning to it")
            rotation.returnToFirst()
            connection.failure = .byRequest
        }
        // New brokers can arrive during an attempt.
        if mail.isReconnectRequested || newEndpoints != nil { connection?.failure = .byRequest }
        if let last = mail.disconnectMessages { disconnectMessages = last }
        isReconnectRequested = mail.isReconnectRequested
    }

    /// Whether the wait for the next attempt is to end now.
    private var isReconnectRequested = false

    private func emitUnacknowledged(_ messages: [OutgoingMessage]) {
        let tokens = messages.compactMap(\.token)
        if !tokens.isEmpty { events.yield(.unacknowledged(tokens)) }
    }

    private func wait(seconds: Double) {
        let end = monotonicMilliseconds() + Int64(seconds * 1000)
        isReconnectRequested = false
        while disconnectMessages == nil, !isReconnectRequested {
            let left = end - monotonicMilliseconds()
            guard left > 0 else { return }
            var descriptor = pollfd(fd: mailbox.wakeDescriptor, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, Int32(clamping: left)) > 0 { processMailbox(nil) }
        }
    }
}
