import OdographStore
import OdographWire

/// The records that the broker refused, and when they are sent again.
///
/// A refused record is sent again after a minute; the others are sent meanwhile. If the broker refuses several records
/// of one topic in a row, it probably does not allow the topic. Then all records of the topic wait, live ones too: to
/// send each of them once a minute would cost the vehicle much data.
struct RecordRefusals {
    /// The records of one kind that are published on one topic.
    private struct Topic: Hashable {
        var kind: RecordKind
        var isLive: Bool

        init(_ message: OutstandingMessage) { (kind, isLive) = (message.kind, message.isLive) }

        init(_ record: StoredRecord, isLive: Bool) { (kind, self.isLive) = (record.kind, isLive) }
    }

    private struct Entry {
        var refusalsInARow = 0
        /// When records of the topic are sent again, on the monotonic clock. nil if they do not wait.
        var due: Int64?
    }

    /// The delay before refused records are sent again, milliseconds.
    private static let pauseMilliseconds: Int64 = 60_000
    /// The number of refused records in a row after which the topic waits.
    private static let limit = 3

    private var records: [RecordKey: Int64] = [:]
    private var topics: [Topic: Entry] = [:]

    /// Whether no record waits.
    var isEmpty: Bool { nextDue == nil }

    /// When the first of the waiting records is due, on the monotonic clock. nil if none waits.
    private(set) var nextDue: Int64?

    /// Notes that the broker refused a message with one record.
    /// - Parameter isTooLarge: Whether the reason is the size of the record, which says nothing about its topic.
    mutating func handleRefused(_ message: OutstandingMessage, isTooLarge: Bool, uptimeMilliseconds now: Int64) {
        let due = now + Self.pauseMilliseconds
        for key in message.keys { records[key] = due }
        nextDue = min(nextDue ?? due, due)
        guard !isTooLarge else { return }
        var entry = topics[Topic(message)] ?? Entry()
        entry.refusalsInARow += 1
        if entry.refusalsInARow >= Self.limit { entry.due = due }
        topics[Topic(message)] = entry
    }

    /// Notes that the broker accepted a message.
    /// - Returns: Whether records of its topic were waiting, which can be sent now.
    mutating func handleAcknowledged(_ message: OutstandingMessage) -> Bool {
        guard !topics.isEmpty, !message.isBatch else { return false }
        return topics.removeValue(forKey: Topic(message))?.due != nil
    }

    /// Returns whether a record waits.
    func holds(_ record: StoredRecord, isLive: Bool) -> Bool {
        guard nextDue != nil else { return false }
        return records[record.key] != nil || topics[Topic(record, isLive: isLive)]?.due != nil
    }

    /// Releases the records that are due. A topic of which one is refused again waits at once.
    mutating func release(uptimeMilliseconds now: Int64) {
        guard let nextDue, nextDue <= now else { return }
        records = records.filter { $0.value > now }
        for (topic, entry) in topics where entry.due ?? .max <= now { topics[topic]?.due = nil }
        self.nextDue = [records.values.min(), topics.values.compactMap(\.due).min()].compactMap { $0 }.min()
    }
}
