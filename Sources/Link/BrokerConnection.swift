import COdographMosquitto
import Glibc

/// One connection attempt and the connection that results from it. Used only on the client's thread.
final class BrokerConnection {
    /// The limits of the messages that are read one after the other: their count, and the payload after which none
    /// follows, bytes. They limit the memory.
    private static let (longestGroup, longestPayloadOfGroup) = (64, 16_384)

    let configuration: LinkConfiguration
    let handle: MosquittoHandle
    let callbacks: CallbackContext
    let events: LinkEventStream
    let connectionNumber: Int
    /// The monotonic time of the successful CONNACK, in milliseconds; nil before it.
    private(set) var connectedAtMilliseconds: Int64?
    var inFlight: InFlightMessages
    /// The messages that wait until fewer are in flight.
    var pendingMessages = PendingMessages()
    var pendingSubscriptions = PendingSubscriptions()
    private(set) var keepAliveMilliseconds: Int64
    private var answerLimit: AnswerLimit
    /// Whether the broker has answered a message or a subscription.
    var hasAnswered: Bool { inFlight.hasAcknowledged || pendingSubscriptions.hasAnswered }
    private(set) var maximumPacketBytes = Int.max
    /// Whether the broker accepts messages at QoS 1.
    private(set) var supportsQoS1 = true
    /// The numbers that stand for topics on this connection.
    var topicAliases = TopicAliases()
    private(set) var startedAtMilliseconds = monotonicMilliseconds()
    /// The longest wait for the other side, or once it has answered for CONNACK, seconds.
    private var connectTimeoutSeconds: Double
    /// The error of the network when the connection was begun; 0 for none.
    private var connectError: Int32 = 0
    /// The longest wait for an address that does not answer if there are others, seconds.
    private static let silentAddressSeconds = 4.0
    private var lastReadMilliseconds: Int64 = 0
    var lastWriteMilliseconds: Int64 = 0
    /// Whether the current poll reads nothing, because the consumer of the events is too slow.
    private(set) var isPaused = false
    /// The state of the keep-alive that adapts; nil if the interval is fixed.
    var keepAlive: AdaptiveKeepAlive?
    /// This machine's address on the connection, without the port; empty before CONNACK.
    private(set) var localAddress: [UInt8] = []
    var rateLimiter: RateLimiter
    /// The monotonic time, in milliseconds, when the caps on the rate allow the next message; nil if they allow it now.
    var rateDueMilliseconds: Int64?
    /// The acknowledged tokens that are not emitted yet.
    var acknowledgedTokens: [UInt64] = []
    private var descriptors: [pollfd]
    /// Whether the first received byte was that of a CONNACK.
    private var hasSeenConnack = false
    /// Whether the mailbox has new content.
    var hasMail = false
    /// The monotonic time, in milliseconds, at which a poll ends even if nothing has happened.
    var pollDeadlineMilliseconds = Int64.max
    /// Whether the host has accepted the TCP connection.
    private(set) var hasReachedHost = false
    /// The reason why the connection ended; nil while it has not.
    var failure: LinkFailure?

    init(
        configuration: LinkConfiguration, version: MQTTVersion, connectionNumber: Int, will: OutgoingMessage?,
        mailbox: Mailbox, events: LinkEventStream
    ) throws(LinkFailure) {
        self.configuration = configuration
        self.connectionNumber = connectionNumber
        self.events = events
        descriptors = [
            pollfd(), pollfd(fd: mailbox.wakeDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        callbacks = CallbackContext(maximumIncomingBytes: configuration.maximumIncomingBytes)
        handle = try MosquittoHandle(configuration, version: version, callbacks: callbacks)
        inFlight = InFlightMessages(maximum: configuration.maximumInFlight)
        rateLimiter = RateLimiter(configuration.rateLimits)
        keepAliveMilliseconds = Int64(configuration.announcedKeepAliveSeconds) * 1000
        answerLimit = AnswerLimit(milliseconds: Int64(configuration.acknowledgementTimeoutSeconds * 1000))
        connectTimeoutSeconds = configuration.connectTimeoutSeconds
        try handle.configure(configuration)
        if let will { try handle.setWill(will) }
    }

    /// Opens the connection: the library sends CONNECT.
    /// - Parameter isLast: Whether no other address is left. Otherwise a silent one is given up sooner.
    func connect(to address: BrokerAddress, isLast: Bool) {
        if !isLast { connectTimeoutSeconds = min(connectTimeoutSeconds, Self.silentAddressSeconds) }
        errno = 0
        let code = handle.connect(configuration, to: address)
        // With TLS the library already writes, and that takes the error of a connection that the host refuses at once.
        let error = errno
        connectError = [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH].contains(error) ? error : 0
        startedAtMilliseconds = monotonicMilliseconds()
        (lastReadMilliseconds, lastWriteMilliseconds) = (startedAtMilliseconds, startedAtMilliseconds)
        failOnError(code, systemError: error)
    }

    /// Waits for the socket, the mailbox or a deadline, and runs the library's work that is due.
    func pollOnce() {
        guard failure == nil, let socket = handle.socket else {
            failOnError(MOSQ_ERR_NO_CONN.rawValue, systemError: 0)
            return
        }
        isPaused = events.isFull
        let interest = (isPaused ? 0 : POLLIN) | (handle.wantsWrite ? POLLOUT : 0)
        descriptors[0] = pollfd(fd: socket, events: Int16(interest), revents: 0)
        enableQuickAck(socket)
        let ready = waitForEvents()
        hasMail = ready > 0 && descriptors[1].revents != 0
        let happened = ready > 0 ? Int32(descriptors[0].revents) : 0
        if happened != 0 { handleSocketEvents(socket, happened) }
        guard failure == nil else { return }
        // Before CONNACK no ping is due: the connect timeout applies.
        if connectedAtMilliseconds != nil { failOnError(handle.keepAlive(), systemError: errno) }
        checkKeepAlive()
        checkDeadlines()
    }

    /// Waits for the socket, the mailbox or a deadline. Acknowledgements are emitted once nothing further is ready, so
    /// that a stream of them does not wake the owner for each one.
    private func waitForEvents() -> Int32 {
        if !acknowledgedTokens.isEmpty, !canDeferAcknowledgements {
            let ready = poll(&descriptors, 2, 0)
            guard ready == 0 else { return ready }
            emitAcknowledged()
        }
        return poll(&descriptors, 2, pollTimeoutMilliseconds())
    }

    private func handleSocketEvents(_ socket: Int32, _ happened: Int32) {
        let isConnected = connectedAtMilliseconds != nil
        if !isConnected, let error = handshakeError(socket) {
            failure = error
            return
        }
        if happened & (POLLIN | POLLHUP | POLLERR) != 0 || (!isConnected && happened & POLLOUT != 0) {
            lastReadMilliseconds = monotonicMilliseconds()
            repeat {
                errno = 0
                let code = handle.read()
                let systemError = errno
                // The library can read an acceptance and the end that follows it in one turn.
                if !isConnected { handleConnack() }
                failOnError(code, systemError: systemError)
            } while isConnected && failure == nil && canExtendGroup(socket)
            // A read that ends the connection shows only that it has ended.
            if failure == nil { noteRead() }
        }
        if happened & POLLOUT != 0, failure == nil {
            noteWrite()
            errno = 0
            failOnError(handle.write(), systemError: errno)
        }
        if callbacks.hasSentAcknowledgement {
            callbacks.hasSentAcknowledgement = false
            noteWrite()
        }
    }

    /// Returns whether a further message is there that belongs to the group of messages that was begun. The owner is
    /// woken once for a group: a broker that sends thousands of stored messages would otherwise wake it for each of
    /// them.
    private func canExtendGroup(_ socket: Int32) -> Bool {
        guard case .message(let message)? = callbacks.incomingEvents.last,
            message.payload.count < Self.longestPayloadOfGroup, callbacks.incomingEvents.count < Self.longestGroup
        else { return false }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0 && Int32(descriptor.revents) == POLLIN
    }

    /// Returns the error of a socket that failed during the handshake. For a socket that broke in the middle of the TLS
    /// handshake, the library reports no error, and this loop would call it forever.
    private func handshakeError(_ socket: Int32) -> LinkFailure? {
        if BrokerAddress.isConnected(socket) { hasReachedHost = true }
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        // The call takes the socket's error.
        let receiveError = count < 0 ? errno : 0
        // Data received before the failure, above all a TLS alert, says more than the failure itself.
        guard count == 1 else {
            var error: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length)
            if error == 0, count == 0, !BrokerAddress.isConnected(socket) { error = connectError }
            if error == 0, ![0, EAGAIN, EINTR, ENOTCONN].contains(receiveError) { error = receiveError }
            if error != 0 {
                return LinkFailure(systemError: error, wasConnected: false, configuration: configuration)
            }
            return count == 0 ? .closedBeforeConnack : nil
        }
        // Bytes from another protocol must not reach the library: it aborts the process over an unknown MQTT 5
        // property. 0x20 is CONNACK. Over TLS the bytes are not MQTT yet.
        guard case .plain = configuration.endpoint.transport, !hasSeenConnack else { return nil }
        guard byte == 0x20 else { return .protocolError(detail: "the first byte is \(byte), which is not a CONNACK") }
        hasSeenConnack = true
        return nil
    }

    private func handleConnack() {
        guard failure == nil, let answer = callbacks.connack, answer.reason == 0 else { return }
        let now = monotonicMilliseconds()
        connectedAtMilliseconds = now
        handle.disableLogging()
        callbacks.logLines = []
        if let socket = handle.socket { localAddress = BrokerAddress.local(of: socket) }
        inFlight = InFlightMessages(
            maximum: min(configuration.maximumInFlight, answer.receiveMaximum),
            maximumBytes: configuration.maximumInFlightBytes ?? .max)
        if let seconds = answer.keepAliveSeconds { keepAliveMilliseconds = Int64(seconds) * 1000 }
        maximumPacketBytes = min(answer.maximumPacketBytes ?? .max, configuration.maximumMessageBytes ?? .max)
        supportsQoS1 = answer.maximumQoS > 0
        topicAliases = TopicAliases(maximum: answer.maximumTopicAlias)
    }

    /// The parameters that the broker and the client agreed on; nil before CONNACK.
    var connectionInfo: ConnectionInfo? {
        guard connectedAtMilliseconds != nil, let answer = callbacks.connack else { return nil }
        return ConnectionInfo(
            connectionNumber: connectionNumber, broker: configuration.endpoint.address, protocolVersion: handle.version,
            maximumQoS: answer.maximumQoS, isSessionPresent: answer.isSessionPresent,
            certificates: handle.serverCertificates)
    }

    /// Ends the connection if the library returned an error, has no socket any more, or received a DISCONNECT.
    func failOnError(_ code: Int32, systemError: Int32) {
        guard failure == nil, code > 0 || handle.socket == nil || callbacks.disconnectReason != nil else { return }
        let isConnected = connectedAtMilliseconds != nil
        // A DISCONNECT that the broker sent before it closed is still unread.
        if isConnected, callbacks.disconnectReason == nil, systemError == EPIPE || systemError == ECONNRESET {
            _ = handle.read()
        }
        var configuration = configuration
        configuration.keepAliveSeconds = Int(keepAliveMilliseconds / 1000)
        let refusal = callbacks.connack.flatMap { $0.reason != 0 ? $0.reason : nil }
        failure = LinkFailure(
            LinkFailure.Evidence(
                libraryCode: code, systemError: systemError, connackReason: refusal,
                disconnectReason: callbacks.disconnectReason,
                wasConnected: isConnected, log: callbacks.logLines,
                certificateVerifyResult: callbacks.certificateVerifyResult,
                version: handle.version),
            configuration: configuration)
    }

    /// Makes the kernel acknowledge received data at once. A broker with Nagle's algorithm enabled holds its small
    /// packets back until then, 40 ms each time. The kernel resets the option, so it is set before each wait.
    private func enableQuickAck(_ socket: Int32) {
        guard inFlight.count > 0 else { return }
        var one: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_QUICKACK, &one, socklen_t(MemoryLayout<Int32>.size))
    }
}

extension BrokerConnection {
    /// The monotonic time, in milliseconds, of the next ping or timeout.
    private var deadlineMilliseconds: Int64 {
        guard connectedAtMilliseconds != nil else {
            return startedAtMilliseconds + Int64(connectTimeoutSeconds * 1000)
        }
        // The library counts whole seconds: one second after the interval a ping is certainly due.
        let silence = keepAliveMilliseconds == 0 ? Int64.max / 4 : keepAliveMilliseconds + 1000
        let pingDue = min(lastReadMilliseconds, lastWriteMilliseconds) + silence
        return min(pingDue, answerAwaitedSinceMilliseconds.map(answerLimit.dueMilliseconds) ?? .max)
    }

    /// The monotonic time, in milliseconds, since when the oldest message or subscription should be answered; nil if
    /// none waits.
    private var answerAwaitedSinceMilliseconds: Int64? {
        [inFlight.awaitedSinceMilliseconds, pendingSubscriptions.awaitedSinceMilliseconds].compactMap { $0 }.min()
    }

    private func pollTimeoutMilliseconds() -> Int32 {
        let due = min(deadlineMilliseconds, pollDeadlineMilliseconds, rateDueMilliseconds ?? .max)
        return Int32(clamping: max(min(due - monotonicMilliseconds(), millisecondsUntilCheck ?? .max), 0))
    }

    private func checkDeadlines() {
        let now = monotonicMilliseconds()
        guard failure == nil, now >= deadlineMilliseconds else { return }
        if connectedAtMilliseconds == nil {
            if connectTimeoutSeconds < configuration.connectTimeoutSeconds, let socket = handle.socket,
                BrokerAddress.isConnected(socket)
            {
                // The address answers: what follows has the usual time.
                connectTimeoutSeconds = configuration.connectTimeoutSeconds
                return
            }
            failure = .timedOut(
                host: configuration.endpoint.host, port: configuration.endpoint.port,
                seconds: Int(connectTimeoutSeconds))
        } else if let since = answerAwaitedSinceMilliseconds, now >= answerLimit.dueMilliseconds(awaitedSince: since) {
            let overtaken = inFlight.missingAcknowledgement
            // An answer that a later one has overtaken does not wait behind other data.
            let waitsForData =
                overtaken.isEmpty && !pendingSubscriptions.isOvertaken(by: inFlight.newestAnsweredMilliseconds)
            let counters = waitsForData ? handle.socket.flatMap { TCPCounters(socket: $0) } : nil
            if answerLimit.isOver(awaitedSince: since, at: now, movedBytes: counters?.movedBytes ?? 0) {
                handleAnswerTimeout(overtaken, now)
            }
        } else {
            // The library has just sent its ping, and counts from now.
            (lastReadMilliseconds, lastWriteMilliseconds) = (now, now)
        }
    }

    /// Handles an answer that is overdue. MQTT 5 section 4.4 permits sending a message again only on a new connection.
    private func handleAnswerTimeout(_ overtaken: [InFlightMessages.Entry], _ now: Int64) {
        let seconds = Int(configuration.acknowledgementTimeoutSeconds)
        let tokens = overtaken.compactMap(\.token)
        if !tokens.isEmpty {
            emitAcknowledged()
            events.yield(.acknowledgementsMissing(tokens))
            failure = .acknowledgementMissing(seconds: seconds)
        } else if !overtaken.isEmpty {
            // No owner waits for these messages, and the broker has processed later ones: no reason to reconnect.
            for entry in overtaken { inFlight.drop(entry, nowMilliseconds: now) }
        } else if pendingSubscriptions.awaitedSinceMilliseconds ?? .max < inFlight.awaitedSinceMilliseconds ?? .max {
            failure = .subscriptionTimeout(filter: pendingSubscriptions.oldestFilter ?? "", seconds: seconds)
        } else {
            failure = .acknowledgementTimeout(seconds: seconds)
        }
    }
}
