import COdographMosquitto
import Glibc

extension BrokerConnection {
    /// Gives the library the pending messages for which there is room in flight.
    func sendPending() {
        rateDueMilliseconds = nil
        guard failure == nil, connectedAtMilliseconds != nil, let socket = handle.socket, isBatchWorthSending,
            let first = pendingMessages.first, hasRoom(for: first), mayBatchLeave(first)
        else {
            return
        }
        // One TCP segment for many messages takes a quarter of the processor time of one segment each (a full drain).
        setCorked(socket, true)
        defer { setCorked(socket, false) }
        var refused: [LinkEvent] = []
        var done: [UInt64] = []
        while failure == nil, let message = pendingMessages.first {
            let bytes = packetBytes(of: message)
            if bytes > maximumPacketBytes {
                refuseOversized(message, into: &refused)
            } else if hasRoom(for: message), mayLeave(bytes: bytes) {
                publish(message, bytes: bytes, refused: &refused, done: &done)
            } else {
                break
            }
        }
        if !done.isEmpty { refused.append(.acknowledged(done)) }
        events.yield(contentsOf: refused)
    }

    /// Whether a batch is large enough to send. If more messages are pending than fit, room for a quarter of the
    /// maximum must be free: one message for each acknowledgement would cost both sides a system call and a segment
    /// each.
    private var isBatchWorthSending: Bool {
        inFlight.maximum - inFlight.count >= min(pendingMessages.count, max(inFlight.maximum / 4, 1))
    }

    private func hasRoom(for message: OutgoingMessage) -> Bool {
        // QoS 0 has no acknowledgement, so the socket limits it instead.
        message.qos == .atMostOnce
            ? !handle.wantsWrite : inFlight.hasRoom(forBytes: packetBytes(of: message))
    }

    /// Whether the caps on the rate allow a batch that begins with this message. If not, the poll ends when they do.
    private func mayBatchLeave(_ first: OutgoingMessage) -> Bool {
        guard !rateLimiter.isUnlimited else { return true }
        let now = monotonicMilliseconds()
        return isOver(
            rateLimiter.waitForBatchMilliseconds(
                pendingCount: pendingMessages.count, messageBytes: packetBytes(of: first), now: now), from: now)
    }

    /// Whether the caps on the rate allow this message. If so, it is counted.
    private func mayLeave(bytes: Int) -> Bool {
        guard !rateLimiter.isUnlimited else { return true }
        let now = monotonicMilliseconds()
        return isOver(rateLimiter.takeMilliseconds(messageBytes: bytes, now: now), from: now)
    }

    /// Notes when a wait for the caps on the rate ends. Returns whether it is over.
    private func isOver(_ milliseconds: Int64, from now: Int64) -> Bool {
        guard milliseconds > 0 else { return true }
        rateDueMilliseconds = now + milliseconds
        return false
    }

    private func publish(_ first: OutgoingMessage, bytes: Int, refused: inout [LinkEvent], done: inout [UInt64]) {
        var message = first
        if !supportsQoS1, message.qos != .atMostOnce {
            guard message.token == nil else {
                pendingMessages.removeFirst()
                refuse(message, .qosNotSupported, text: "it accepts only QoS 0", into: &refused)
                return
            }
            // The message has no token: the caller does not use its acknowledgement.
            message.qos = .atMostOnce
        }
        errno = 0
        let form = topicAliases.form(of: message.topic)
        let (code, identifier) = handle.publish(message, topicAs: form)
        switch mosq_err_t(code) {
        case MOSQ_ERR_SUCCESS:
            pendingMessages.removeFirst()
            topicAliases.noteSent(message.topic, as: form)
            noteWrite()
            if message.qos == .atMostOnce {
                inFlight.skipIdentifier(identifier)
                if let token = message.token { done.append(token) }
            } else {
                inFlight.insert(
                    identifier, token: message.token, topic: message.token == nil ? message.topic : "", bytes: bytes,
                    nowMilliseconds: lastWriteMilliseconds)
            }
        default:
            guard let reason = PublishRefusal(libraryCode: code) else {
                // The message stays at the front of the queue and is reported with the others as unacknowledged.
                return failOnError(code, systemError: errno)
            }
            pendingMessages.removeFirst()
            if identifier != 0 { inFlight.skipIdentifier(identifier) }
            refuse(message, reason, text: String(cString: mosquitto_strerror(code)), into: &refused)
        }
    }

    /// Returns the size of a message's packet in bytes, or a little more.
    private func packetBytes(of message: OutgoingMessage) -> Int {
        // 16 bytes: the fixed header, two lengths and the packet identifier.
        var bytes = message.topic.utf8.count + message.payload.count + 16
        guard let properties = message.properties else { return bytes }
        bytes += 32
        bytes += properties.correlationData?.count ?? 0
        bytes += properties.contentType?.utf8.count ?? 0
        bytes += properties.responseTopic?.utf8.count ?? 0
        for property in properties.userProperties { bytes += 5 + property.name.utf8.count + property.value.utf8.count }
        return bytes
    }

    private func refuseOversized(_ message: OutgoingMessage, into events: inout [LinkEvent]) {
        pendingMessages.removeFirst()
        let owner = maximumPacketBytes == configuration.maximumMessageBytes ? "the configured" : "its"
        refuse(
            message, .packetTooLarge, text: "longer than \(owner) maximum of \(maximumPacketBytes) bytes",
            into: &events)
    }

    private func refuse(
        _ message: OutgoingMessage, _ reason: PublishRefusal, text: String, into events: inout [LinkEvent]
    ) {
        events.append(Self.refusal(of: message.token, message.topic, reason, text))
    }

    private static func refusal(
        of token: UInt64?, _ topic: String, _ reason: PublishRefusal, _ text: String
    ) -> LinkEvent {
        if let token {
            .refused(token: token, reason: reason, text: text)
        } else {
            .refusedWithoutToken(topic: topic, text: text)
        }
    }

    private func setCorked(_ socket: Int32, _ isCorked: Bool) {
        var value: Int32 = isCorked ? 1 : 0
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Emits events for the results that the callbacks stored.
    func emitCallbackEvents() {
        var news: [LinkEvent] = []
        collectAcknowledgements(into: &news)
        for (identifier, reason) in callbacks.subacks {
            guard let filter = pendingSubscriptions.acknowledge(identifier, nowMilliseconds: monotonicMilliseconds())
            else {
                continue
            }
            let refusal = reason >= 0x80 ? LinkFailure.reasonString(reason) : nil
            news.append(.subscribed(filter: filter, refusal: refusal))
        }
        callbacks.subacks.removeAll()
        if !callbacks.incomingEvents.isEmpty {
            news += callbacks.incomingEvents
            callbacks.incomingEvents.removeAll()
        }
        events.yield(contentsOf: news)
    }

    private func collectAcknowledgements(into news: inout [LinkEvent]) {
        guard !callbacks.pubacks.isEmpty else { return }
        let now = monotonicMilliseconds()
        for (identifier, reason) in callbacks.pubacks {
            guard let entry = inFlight.acknowledge(identifier, nowMilliseconds: now) else { continue }
            // From 0x80 the broker refused the message; 0x10, "no matching subscribers", is a success like 0.
            if reason >= 0x80 {
                news.append(
                    Self.refusal(
                        of: entry.token, entry.topic, PublishRefusal(reasonCode: Int(reason)),
                        LinkFailure.reasonString(reason)))
            } else if let token = entry.token {
                acknowledgedTokens.append(token)
            }
        }
        callbacks.pubacks.removeAll(keepingCapacity: true)
        if acknowledgedTokens.count >= acknowledgementBatchSize { emitAcknowledged() }
    }

    /// The number of acknowledgements that are emitted as one event. While more messages are pending than may be
    /// in flight, each small event would wake the owner only to hand over as many new messages.
    private var acknowledgementBatchSize: Int {
        max(inFlight.maximum / 4, canDeferAcknowledgements ? min(max(pendingMessages.count / 2, 64), 256) : 1)
    }

    /// Whether further acknowledgements are certain to come soon, and the owner need not act before.
    var canDeferAcknowledgements: Bool {
        !pendingMessages.isEmpty && inFlight.count > 0 && rateDueMilliseconds == nil
    }

    /// Emits the acknowledged tokens.
    func emitAcknowledged() {
        guard !acknowledgedTokens.isEmpty else { return }
        events.yield(.acknowledged(acknowledgedTokens))
        acknowledgedTokens = []
    }

    func subscribe(_ filter: String) {
        errno = 0
        let (code, identifier) = handle.subscribe(filter)
        noteWrite()
        if code == 0 {
            inFlight.skipIdentifier(identifier)
            pendingSubscriptions.insert(identifier, filter: filter, nowMilliseconds: lastWriteMilliseconds)
        } else if PublishRefusal(libraryCode: code) != nil {
            // The filter is invalid; the connection is not affected.
            events.yield(.subscribed(filter: filter, refusal: String(cString: mosquitto_strerror(code))))
        } else {
            failOnError(code, systemError: errno)
        }
    }

    func unsubscribe(_ filter: String) {
        errno = 0
        let (code, identifier) = handle.unsubscribe(filter)
        noteWrite()
        failOnError(code, systemError: errno)
        if code == 0 { inFlight.skipIdentifier(identifier) }
    }

    /// Emits the tokens of all messages that were not acknowledged, and removes the messages.
    func emitUnacknowledged() {
        emitAcknowledged()
        let tokens = inFlight.removeAll().compactMap(\.token) + pendingMessages.removeAll()
        if !tokens.isEmpty { events.yield(.unacknowledged(tokens)) }
    }
}
