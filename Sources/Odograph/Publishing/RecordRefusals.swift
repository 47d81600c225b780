import OdographStore
import OdographWire

/// The records that the broker refused, and when they are sent again.
///
/// A refused record is sent again after a minute; the others are sent meanwhile. If the broker refuses several records
/// of one topic in a row, it probably does not allow the topic. Then all records of the topic wait, live ones too, and
/// one of them is sent each minute: more would cost the vehicle data for nothing.
struct RecordRefusals {
    /// The records of one kind that are published on one topic.
    private struct Topic: Hashable {
        var kind: RecordKind
        var isLive: Bool
    }

    private struct Entry {
        var refusalsInARow = 0
        /// When the next record of the topic may be sent, on the monotonic clock. nil if they do not wait.
        var due: Int64?
        /// Whether one record may be sent, and the others wait for what the broker says about it.
        var isOpenForOne = false
    }

    /// The delay before refused records are sent again, milliseconds.
    private static let pauseMilliseconds: Int64 = 60_000
    /// Records that are refused within this time are sent again together, milliseconds: each time the store is read.
    private static let togetherMilliseconds: Int64 = 10_000
    /// The number of refused records in a row after which the topic waits.
    private static let limit = 3

    private var records: [RecordKey: Int64] = [:]
    private var topics: [Topic: Entry] = [:]

    /// Whether no record waits.
    var isEmpty: Bool { nextDue == nil }

    /// When the first of the waiting records is due, on the monotonic clock. nil if none waits.
    private(set) var nextDue: Int64?

    private static func due(after now: Int64) -> Int64 {
        (now + pauseMilliseconds + togetherMilliseconds - 1) / togetherMilliseconds * togetherMilliseconds
    }

    /// Notes that the broker refused a message with one record.
    /// - Parameter isTooLarge: Whether the reason is the size of the record, which says nothing about its topic.
    mutating func handleRefused(_ message: OutstandingMessage, isTooLarge: Bool, uptimeMilliseconds now: Int64) {
        let due = Self.due(after: now)
        for key in message.keys { records[key] = due }
        defer { updateNextDue() }
        guard !isTooLarge else { return }
        let topic = Topic(kind: message.kind, isLive: message.isLive)
        var entry = topics[topic] ?? Entry()
        entry.refusalsInARow += 1
        if entry.refusalsInARow >= Self.limit { entry.due = due }
        topics[topic] = entry
    }

    /// Notes that the broker accepted a message.
    /// - Returns: Whether records of its topic were waiting, which can be sent now.
    mutating func handleAcknowledged(_ message: OutstandingMessage) -> Bool {
        guard !topics.isEmpty, !message.isBatch else { return false }
        defer { updateNextDue() }
        return topics.removeValue(forKey: Topic(kind: message.kind, isLive: message.isLive))?.due != nil
    }

    /// Returns whether a record waits.
    func holds(_ record: StoredRecord, isLive: Bool) -> Bool {
        guard nextDue != nil else { return false }
        return records[record.key] != nil || topics[Topic(kind: record.kind, isLive: isLive)]?.due != nil
    }

    /// Returns whether a record may be sent, which the caller does then.
    mutating func admits(_ record: StoredRecord, isLive: Bool, uptimeMilliseconds now: Int64) -> Bool {
        guard !topics.isEmpty || !records.isEmpty else { return true }
        guard !holds(record, isLive: isLive) else { return false }
        let topic = Topic(kind: record.kind, isLive: isLive)
        if topics[topic]?.isOpenForOne == true {
            topics[topic]?.isOpenForOne = false
            topics[topic]?.due = Self.due(after: now)
            updateNextDue()
        }
        return true
    }

    /// Releases the records that are due, and one of each topic that is.
    mutating func release(uptimeMilliseconds now: Int64) {
        guard let nextDue, nextDue <= now else { return }
        records = records.filter { $0.value > now }
        for (topic, entry) in topics where entry.due ?? .max <= now {
            topics[topic]?.due = nil
            topics[topic]?.isOpenForOne = true
        }
        updateNextDue()
    }

    private mutating func updateNextDue() {
        nextDue = [records.values.min(), topics.values.compactMap(\.due).min()].compactMap { $0 }.min()
    }
}
