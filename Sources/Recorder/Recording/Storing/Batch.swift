/// The received messages that are not committed yet.
package struct Batch: Sendable {
    /// The messages in the order of their arrival.
    package private(set) var entries: [BatchEntry] = []
    /// The size of the payloads.
    package private(set) var bytes = 0
    private let limits: BatchLimits

    /// - Parameter limits: The limits of the batch.
    package init(limits: BatchLimits) { self.limits = limits }

    /// Whether the batch is to be written at once.
    package var isFull: Bool { entries.count >= limits.records || bytes >= BatchLimits.maximumBytes }

    /// Adds a message.
    package mutating func append(_ entry: BatchEntry) {
        entries.append(entry)
        bytes += entry.content.size
    }

    /// Removes all messages, which are committed.
    package mutating func removeAll() {
        entries.removeAll(keepingCapacity: entries.count <= limits.records)
        bytes = 0
    }
}
