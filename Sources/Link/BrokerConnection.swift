import CMosquitto
import Glibc

/// One attempt to connect and what comes of it. Lives on the session's thread.
final class BrokerConnection {
    let configuration: LinkConfiguration
    let handle: MosquittoHandle
    let callbacks: CallbackContext
    let mailbox: Mailbox
    let events: LinkEventStream
    let sessionNumber: Int
    /// Clock reading of the broker's consent; nil before it.
    private(set) var connectedAtMilliseconds: Int64?
    var inFlight: InFlightMessages
    /// What waits for room in the window.
    var pendingMessages = PendingMessages()
    var pendingSubscriptions = PendingSubscriptions()
    private(set) var keepAliveMilliseconds: Int64
    private(set) var maximumPacketBytes = Int.max
    /// Whether the broker takes messages that it has to acknowledge.
    private(set) var supportsQoS1 = true
    private(set) var startedAtMilliseconds = monotonicMilliseconds()
    private var lastReadMilliseconds: Int64 = 0
    var lastWriteMilliseconds: Int64 = 0
    /// Acknowledged, but not told yet.
    var acknowledgedTokens: [UInt64] = []
    private var descriptors: [pollfd]
    /// Whether what came first was the beginning of an answer.
    private var hasSeenConnack = false
    /// Whether the mailbox has something.
    var hasMail = false
    /// Clock reading at which a turn ends though nothing has happened.
    var pollDeadlineMilliseconds = Int64.max
    /// Why it is over; nil while it is not.
    var failure: LinkFailure?

    init(
        configuration: LinkConfiguration, version: MQTTVersion, sessionNumber: Int, will: OutgoingMessage?,
        mailbox: Mailbox, events: LinkEventStream
    ) throws(LinkFailure) {
        self.configuration = configuration
        self.sessionNumber = sessionNumber
        self.mailbox = mailbox
        self.events = events
        descriptors = [
            pollfd(), pollfd(fd: mailbox.wakeDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        callbacks = CallbackContext(maximumIncomingBytes: configuration.maximumIncomingBytes)
        handle = try MosquittoHandle(configuration, version: version, callbacks: callbacks)
        inFlight = InFlightMessages(window: configuration.window)
        keepAliveMilliseconds = Int64(configuration.keepAliveSeconds) * 1000
        try handle.configure(configuration)
        if let will { try handle.setWill(will) }
    }

    /// Sends the first packet.
    func connect(bindAddress: String?) {
        let code = handle.connect(configuration, bindAddress: bindAddress)
        startedAtMilliseconds = monotonicMilliseconds()
        (lastReadMilliseconds, lastWriteMilliseconds) = (startedAtMilliseconds, startedAtMilliseconds)
        failOnError(code, systemError: errno)
    }

    /// Waits for the socket, the mailbox or a deadline, and lets the library do what is due.
    func pollOnce() {
        guard failure == nil, let socket = handle.socket else {
            failOnError(MOSQ_ERR_NO_CONN.rawValue, systemError: 0)
            return
        }
        let isPaused = events.isFull
        let interest = (isPaused ? 0 : POLLIN) | (handle.wantsWrite ? POLLOUT : 0)
        descriptors[0] = pollfd(fd: socket, events: Int16(interest), revents: 0)
        enableQuickAck(socket)
        let ready = waitForEvents()
        hasMail = ready > 0 && descriptors[1].revents != 0
        let happened = ready > 0 ? Int32(descriptors[0].revents) : 0
        if happened != 0 { handleSocketEvents(socket, happened) }
        guard failure == nil else { return }
        // Before the broker's consent there is nothing to ping: the connection's own time limit holds.
        if connectedAtMilliseconds != nil { failOnError(handle.keepAlive(), systemError: errno) }
        checkDeadlines()
    }

    /// Acknowledgements are told when nothing more comes at once, so that a stream of them does not wake the owner for
    /// each.
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
            errno = 0
            failOnError(handle.read(), systemError: errno)
        }
        if happened & POLLOUT != 0, failure == nil {
            lastWriteMilliseconds = monotonicMilliseconds()
            errno = 0
            failOnError(handle.write(), systemError: errno)
        }
        if callbacks.hasSentAcknowledgement {
            callbacks.hasSentAcknowledgement = false
            lastWriteMilliseconds = monotonicMilliseconds()
        }
        if !isConnected { handleConnack() }
    }

    /// The library takes a socket that broke in the middle of TLS's handshake for one that has nothing to say yet, and
    /// would have us ask it for ever.
    private func handshakeError(_ socket: Int32) -> LinkFailure? {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        // What came before the connection broke, TLS's alert above all, says more than that it broke.
        guard count == 1 else {
            var error: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length)
            if error != 0 {
                return LinkFailure(systemError: error, wasConnected: false, configuration: configuration)
            }
            return count == 0 ? .closedBeforeConnack : nil
        }
        // Whatever listens at a wrong port is kept from the library, which aborts the process where the bytes look like
        // a property that it does not know. 0x20 is CONNACK; over TLS the bytes are not MQTT's yet.
        guard case .plain = configuration.transport, !hasSeenConnack else { return nil }
        guard byte == 0x20 else { return .protocolError(detail: "the first byte is \(byte), not that of an answer") }
        hasSeenConnack = true
        return nil
    }

    private func handleConnack() {
        guard failure == nil, let answer = callbacks.connack, answer.reason == 0 else { return }
        let now = monotonicMilliseconds()
        connectedAtMilliseconds = now
        handle.disableLogging()
        callbacks.logLines = []
        inFlight = InFlightMessages(window: min(configuration.window, answer.receiveMaximum))
        if let seconds = answer.keepAliveSeconds { keepAliveMilliseconds = Int64(seconds) * 1000 }
        maximumPacketBytes = answer.maximumPacketBytes ?? .max
        supportsQoS1 = answer.maximumQoS > 0
    }

    /// What broker and session agreed on; nil before the broker's consent.
    var connectionInfo: ConnectionInfo? {
        guard connectedAtMilliseconds != nil, let answer = callbacks.connack else { return nil }
        return ConnectionInfo(
            sessionNumber: sessionNumber, protocolVersion: handle.version, isSessionPresent: answer.isSessionPresent,
            receiveMaximum: answer.receiveMaximum, maximumPacketBytes: answer.maximumPacketBytes,
            maximumQoS: answer.maximumQoS,
            keepAliveSeconds: Int(keepAliveMilliseconds / 1000), assignedClientID: answer.assignedClientID,
            isWildcardSubscriptionAvailable: answer.isWildcardSubscriptionAvailable,
            isRetainAvailable: answer.isRetainAvailable)
    }

    /// Ends the connection where the library's code, or its lack of a socket, says so.
    func failOnError(_ code: Int32, systemError: Int32) {
        guard failure == nil, code > 0 || handle.socket == nil || callbacks.disconnectReason != nil else { return }
        let isConnected = connectedAtMilliseconds != nil
        // What the broker said before it closed still waits to be read.
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

    /// Makes the kernel acknowledge at once what has come: a broker that leaves Nagle's algorithm on holds its small
    /// answers back until then, 40 ms at a time. The kernel forgets the setting by itself.
    private func enableQuickAck(_ socket: Int32) {
        guard inFlight.count > 0 else { return }
        var one: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_QUICKACK, &one, socklen_t(MemoryLayout<Int32>.size))
    }
}

extension BrokerConnection {
    /// When something is due by itself: a ping, or the end of patience. Milliseconds on the monotonic clock.
    private var deadlineMilliseconds: Int64 {
        guard connectedAtMilliseconds != nil else {
            return startedAtMilliseconds + Int64(configuration.connectTimeoutSeconds * 1000)
        }
        // The library counts whole seconds: a second later than the interval a ping is due beyond doubt.
        let silence = keepAliveMilliseconds == 0 ? Int64.max / 4 : keepAliveMilliseconds + 1000
        let pingDue = min(lastReadMilliseconds, lastWriteMilliseconds) + silence
        return min(pingDue, acknowledgementDeadlineMilliseconds ?? .max)
    }

    private var acknowledgementDeadlineMilliseconds: Int64? {
        [inFlight.awaitedSinceMilliseconds, pendingSubscriptions.awaitedSinceMilliseconds].compactMap { $0 }.min().map {
            $0 + Int64(configuration.acknowledgementTimeoutSeconds * 1000)
        }
    }

    private func pollTimeoutMilliseconds() -> Int32 {
        Int32(clamping: max(min(deadlineMilliseconds, pollDeadlineMilliseconds) - monotonicMilliseconds(), 0))
    }

    private func checkDeadlines() {
        let now = monotonicMilliseconds()
        guard failure == nil, now >= deadlineMilliseconds else { return }
        if connectedAtMilliseconds == nil {
            failure = .timedOut(
                host: configuration.host, port: configuration.port, seconds: Int(configuration.connectTimeoutSeconds))
        } else if let deadline = acknowledgementDeadlineMilliseconds, now >= deadline {
            handleAcknowledgementTimeout(now)
        } else {
            // The library has sent its ping just now, and counts from here.
            (lastReadMilliseconds, lastWriteMilliseconds) = (now, now)
        }
    }

    /// The broker has not answered something for too long. A message may be sent again on a new connection only (MQTT 5
    /// section 4.4).
    private func handleAcknowledgementTimeout(_ now: Int64) {
        let seconds = Int(configuration.acknowledgementTimeoutSeconds)
        let overtaken = inFlight.missingAcknowledgement
        let tokens = overtaken.compactMap(\.token)
        if !tokens.isEmpty {
            emitAcknowledged()
            events.yield(.acknowledgementsMissing(tokens))
            failure = .acknowledgementMissing(seconds: seconds)
        } else if !overtaken.isEmpty {
            // The owner does not care for them, and the broker has read past them: no reason to connect again.
            for entry in overtaken { inFlight.drop(entry, nowMilliseconds: now) }
        } else if pendingSubscriptions.awaitedSinceMilliseconds ?? .max < inFlight.awaitedSinceMilliseconds ?? .max {
            failure = .subscriptionTimeout(filter: pendingSubscriptions.oldestFilter ?? "", seconds: seconds)
        } else {
            failure = .acknowledgementTimeout(seconds: seconds)
        }
    }
}
