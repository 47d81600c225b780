/// The messages that wait until fewer are in flight: first the urgent ones, then the bulk.
struct PendingMessages {
    private var urgent = MessageQueue()
    private var bulk = MessageQueue()

    var isEmpty: Bool { urgent.isEmpty && bulk.isEmpty }

    var count: Int { urgent.count + bulk.count }

    /// The next message.
    var first: OutgoingMessage? { urgent.first ?? bulk.first }

    mutating func append(_ more: [OutgoingMessage]) {
        for message in more {
            if message.isBulk { bulk.append(message) } else { urgent.append(message) }
        }
    }

    mutating func removeFirst() {
        if urgent.isEmpty { bulk.removeFirst() } else { urgent.removeFirst() }
    }

    /// Removes the bulk messages and returns their tokens, in order.
    mutating func removeBulk() -> [UInt64] { bulk.removeAll() }

    /// Removes all messages and returns their tokens, in order.
    mutating func removeAll() -> [UInt64] { urgent.removeAll() + bulk.removeAll() }
}

/// A first-in, first-out queue of messages that frees its memory as it empties.
private struct MessageQueue {
    private var messages: [OutgoingMessage?] = []
    private var head = 0

    var isEmpty: Bool { head == messages.count }

    var count: Int { messages.count - head }

    /// The message at the front.
    var first: OutgoingMessage? { head < messages.count ? messages[head] : nil }

    mutating func append(_ message: OutgoingMessage) {
        messages.append(message)
    }

    mutating func removeFirst() {
        messages[head] = nil
        head += 1
        if head == messages.count {
            (messages, head) = ([], 0)
        } else if head > 1024, head > messages.count / 2 {
            messages.removeFirst(head)
            head = 0
        }
    }

    mutating func removeAll() -> [UInt64] {
        defer { (messages, head) = ([], 0) }
        return messages[head...].compactMap { $0?.token }
    }
}
