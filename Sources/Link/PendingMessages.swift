/// A queue of messages: taken from the front, grown at the back, its memory given back as it empties.
struct PendingMessages {
    private var messages: [OutgoingMessage?] = []
    private var head = 0

    var isEmpty: Bool { head == messages.count }

    var count: Int { messages.count - head }

    /// The message at the front.
    var first: OutgoingMessage? { head < messages.count ? messages[head] : nil }

    mutating func append(_ more: [OutgoingMessage]) {
        if isEmpty { (messages, head) = ([], 0) }
        messages.append(contentsOf: more)
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

    /// Takes all out.
    /// - Returns: the tokens, first to last.
    mutating func removeAll() -> [UInt64] {
        defer { (messages, head) = ([], 0) }
        return messages[head...].compactMap { $0?.token }
    }
}
