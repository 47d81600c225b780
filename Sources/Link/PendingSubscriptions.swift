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

    /// Removes the subscription with an identifier and returns its filter; nil if none waits under it.
    mutating func acknowledge(_ identifier: UInt16, nowMilliseconds: Int64) -> String? {
        guard let index = waiting.firstIndex(where: { $0.identifier == identifier }) else { return nil }
        lastAnswerAtMilliseconds = nowMilliseconds
        return waiting.remove(at: index).filter
    }

    /// The monotonic time since when the oldest subscription should be answered, in ms; nil if none waits.
    var awaitedSinceMilliseconds: Int64? { waiting.first.map { max($0.sentAtMilliseconds, lastAnswerAtMilliseconds) } }

    /// Whether a subscription was answered.
    var hasAnswered: Bool { lastAnswerAtMilliseconds != .min }

    /// Returns whether the oldest subscription was sent before a message that the broker has answered.
    /// - Parameter answered: When that message was sent, monotonic, milliseconds.
    func isOvertaken(by answered: Int64) -> Bool { waiting.first.map { $0.sentAtMilliseconds < answered } ?? false }

    /// The filter of the oldest subscription; nil if none waits.
    var oldestFilter: String? { waiting.first?.filter }
}
