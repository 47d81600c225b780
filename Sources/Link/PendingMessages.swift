import OdographThreads

/// The messages that wait until fewer are in flight: first the urgent ones, then the bulk.
struct PendingMessages {
    private var urgent = FIFOQueue<OutgoingMessage>()
    private var bulk = FIFOQueue<OutgoingMessage>()

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
        if urgent.popFirst() == nil { bulk.popFirst() }
    }

    /// Removes the bulk messages and returns their tokens, in order.
    mutating func removeBulk() -> [UInt64] {
        defer { bulk = FIFOQueue() }
        return bulk.compactMap(\.token)
    }

    /// Removes all messages and returns their tokens, in order.
    mutating func removeAll() -> [UInt64] {
        defer { self = PendingMessages() }
        return urgent.compactMap(\.token) + bulk.compactMap(\.token)
    }
}
