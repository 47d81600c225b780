import CMosquitto
import Glibc

extension Connection {
    /// Hands over what the window has room for.
    func feed() {
        guard failure == nil, connectedMilliseconds != nil, let socket = handle.socket, isWorthFeeding, mayFeed else {
            return
        }
        // One segment for many messages in place of one each: a quarter of the processor time of a full drain.
        cork(socket, true)
        defer { cork(socket, false) }
        lastWriteMilliseconds = monotonicMilliseconds()
        var refused: [LinkEvent] = []
        var done: [UInt64] = []
        while failure == nil, mayFeed, let message = pending.first {
            publish(message, refused: &refused, done: &done)
        }
        if !done.isEmpty { refused.append(.acknowledged(done)) }
        events.yield(contentsOf: refused)
    }

    /// Whether a batch is worth it: where more waits than fits, a quarter of the window must be free. One message for
    /// each acknowledgement would cost both sides a system call and a segment each.
    private var isWorthFeeding: Bool {
        outstanding.window - outstanding.count >= min(pending.count, max(outstanding.window / 4, 1))
    }

    private var mayFeed: Bool {
        guard let message = pending.first else { return false }
        // What needs no acknowledgement is bounded by the socket in place of the window.
        return message.qos == .atMostOnce ? !handle.wantsWrite : outstanding.hasRoom
    }

    private func publish(_ first: OutgoingMessage, refused: inout [LinkEvent], done: inout [UInt64]) {
        guard !isTooLong(first) else {
            pending.removeFirst()
            refuse(
                first, .packetTooLarge, text: "longer than the \(maximumPacketBytes) bytes that it allows",
                into: &refused)
            return
        }
        var message = first
        if !takesAcknowledged, message.qos != .atMostOnce {
            guard message.token == nil else {
                pending.removeFirst()
                refuse(message, .qosNotSupported, text: "it takes QoS 0 only", into: &refused)
                return
            }
            // Nobody waits for its acknowledgement.
            message.qos = .atMostOnce
        }
        errno = 0
        let (code, identifier) = handle.publish(message)
        switch mosq_err_t(code) {
        case MOSQ_ERR_SUCCESS:
            pending.removeFirst()
            if message.qos == .atMostOnce {
                outstanding.pass(identifier)
                if let token = message.token { done.append(token) }
            } else {
                outstanding.insert(identifier, token: message.token, nowMilliseconds: lastWriteMilliseconds)
            }
        default:
            guard let reason = PublishRefusal(libraryCode: code) else {
                // The message stays at the front, and is returned with the others.
                return conclude(code, systemError: errno)
            }
            pending.removeFirst()
            if identifier != 0 { outstanding.pass(identifier) }
            refuse(message, reason, text: String(cString: mosquitto_strerror(code)), into: &refused)
        }
    }

    private func isTooLong(_ message: OutgoingMessage) -> Bool {
        guard maximumPacketBytes != .max else { return false }
        let properties = message.properties.map { properties in
            32 + (properties.correlationData?.count ?? 0) + (properties.contentType?.utf8.count ?? 0)
                + (properties.responseTopic?.utf8.count ?? 0)
        }
        // 16: the fixed header, two lengths, the identifier.
        return message.topic.utf8.count + message.payload.count + 16 + (properties ?? 0) > maximumPacketBytes
    }

    private func refuse(
        _ message: OutgoingMessage, _ reason: PublishRefusal, text: String, into events: inout [LinkEvent]
    ) {
        guard let token = message.token else { return }
        events.append(.refused(token: token, reason: reason, text: text))
    }

    private func cork(_ socket: Int32, _ isCorked: Bool) {
        var value: Int32 = isCorked ? 1 : 0
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Turns what the callbacks noted into events.
    func collect() {
        var news: [LinkEvent] = []
        collectAcknowledged(into: &news)
        for (identifier, reason) in callbacks.granted {
            guard let filter = subscriptions.answer(identifier, nowMilliseconds: monotonicMilliseconds()) else {
                continue
            }
            let refusal = reason >= 0x80 ? LinkFailure.text(ofReason: reason) : nil
            news.append(.subscribed(filter: filter, refusal: refusal))
        }
        callbacks.granted.removeAll()
        if !callbacks.incoming.isEmpty {
            news += callbacks.incoming
            callbacks.incoming.removeAll()
        }
        events.yield(contentsOf: news)
    }

    private func collectAcknowledged(into news: inout [LinkEvent]) {
        guard !callbacks.acknowledged.isEmpty else { return }
        let now = monotonicMilliseconds()
        for (identifier, reason) in callbacks.acknowledged {
            guard let entry = outstanding.acknowledge(identifier, nowMilliseconds: now) else { continue }
            guard let token = entry.token else { continue }
            // From 0x80 the broker has not taken it; 0x10, "no matching subscribers", is as good as 0.
            if reason >= 0x80 {
                let text = LinkFailure.text(ofReason: reason)
                news.append(.refused(token: token, reason: PublishRefusal(reasonCode: Int(reason)), text: text))
            } else {
                acknowledgedTokens.append(token)
            }
        }
        callbacks.acknowledged.removeAll(keepingCapacity: true)
        if acknowledgedTokens.count >= worthTelling { tellAcknowledged() }
    }

    /// So many acknowledgements are told at once. While more messages wait here than the window takes, the owner need not
    /// hear of each few: it would only be woken to hand over as many more.
    private var worthTelling: Int {
        max(outstanding.window / 4, mayTellLater ? min(max(pending.count / 2, 64), 256) : 1)
    }

    /// Whether further acknowledgements are sure to come, and the owner has nothing to do before.
    var mayTellLater: Bool { !pending.isEmpty && outstanding.count > 0 }

    /// Tells the owner what was acknowledged.
    func tellAcknowledged() {
        guard !acknowledgedTokens.isEmpty else { return }
        events.yield(.acknowledged(acknowledgedTokens))
        acknowledgedTokens = []
    }

    func subscribe(_ filter: String) {
        errno = 0
        let (code, identifier) = handle.subscribe(filter)
        noteSubscription(filter, code: code, identifier: identifier)
    }

    func unsubscribe(_ filter: String) {
        errno = 0
        let (code, identifier) = handle.unsubscribe(filter)
        lastWriteMilliseconds = monotonicMilliseconds()
        if code == 0 { outstanding.pass(identifier) } else { conclude(code, systemError: errno) }
    }

    private func noteSubscription(_ filter: String, code: Int32, identifier: UInt16) {
        lastWriteMilliseconds = monotonicMilliseconds()
        if code == 0 {
            outstanding.pass(identifier)
            subscriptions.insert(identifier, filter: filter, nowMilliseconds: lastWriteMilliseconds)
        } else if PublishRefusal(libraryCode: code) != nil {
            // The filter itself is at fault, and not the connection.
            events.yield(.subscribed(filter: filter, refusal: String(cString: mosquitto_strerror(code))))
        } else {
            conclude(code, systemError: errno)
        }
    }

    /// Gives back everything that was not acknowledged.
    func returnAll() {
        tellAcknowledged()
        let tokens = outstanding.removeAll().compactMap(\.token) + pending.removeAll()
        if !tokens.isEmpty { events.yield(.returned(tokens)) }
    }
}
