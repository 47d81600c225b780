/// The subscriptions that the broker has not answered yet.
struct PendingSubscriptions {
    private struct Entry {
        let identifier: UInt16
        let filter: String
        let sentAtMilliseconds: Int64
    }

    private var waiting: [Entry] = []
    private var lastAnswerAtMilliseconds = Int64.min

    mutating func insert(_ identifier: UInt16, filter: String, nowMilliseconds: Int64) {
        waiting.append(Entry(identifier: identifier, filter: filter, sentAtMilliseconds: nowMilliseconds))
    }

    /// The filter of an answer; nil where none waits under this identifier.
    mutating func acknowledge(_ identifier: UInt16, nowMilliseconds: Int64) -> String? {
        guard let index = waiting.firstIndex(where: { $0.identifier == identifier }) else { return nil }
        lastAnswerAtMilliseconds = nowMilliseconds
        return waiting.remove(at: index).filter
    }

    /// Since when the broker should answer the longest waiting one, by the clock; nil where none waits.
    var awaitedSinceMilliseconds: Int64? { waiting.first.map { max($0.sentAtMilliseconds, lastAnswerAtMilliseconds) } }

    /// The filter that waits longest; nil where none waits.
    var oldestFilter: String? { waiting.first?.filter }
}
