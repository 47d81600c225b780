import OdographModel
import OdographPositioning
import OdographThreads

/// A document that has arrived and is not yet handled.
enum IncomingDocument: Sendable {
    case payload([UInt8])
    /// A document above the size limit, by its length in bytes.
    case oversized(Int)
}

/// A queue between the link, which never waits, and the actor that applies documents, which writes to the disk.
///
/// It keeps only the newest document of each topic. Ten batches are delivered at once, then one a second.
final class DocumentInbox<Topic: Hashable & Sendable>: Sendable {
    private let capacity: Int
    private let waiting = Lock<[Topic: IncomingDocument]>([:])
    private let bucket = Lock(TokenBucket(capacity: 10, perSecond: 1))
    private let arrivalSignal = CoalescingSignal()

    /// - Parameter capacity: The maximum number of waiting topics. Documents of further ones are dropped.
    init(capacity: Int = .max) {
        self.capacity = capacity
    }

    func offer(_ document: IncomingDocument, on topic: Topic) {
        waiting.withLock { waiting in
            if waiting.count < capacity || waiting[topic] != nil { waiting[topic] = document }
        }
        arrivalSignal.send()
    }

    /// Waits for documents and the rate limit, and returns all queued documents. nil when the task is cancelled.
    func next(_ clock: any AgentClock) async -> [Topic: IncomingDocument]? {
        var iterator = arrivalSignal.stream.makeAsyncIterator()
        guard await iterator.next() != nil else { return nil }
        let now = clock.now().uptimeMilliseconds
        let wait = bucket.withLock { $0.waitMilliseconds(atUptimeMilliseconds: now) }
        if wait > 0 {
            do { try await clock.sleep(untilUptimeMilliseconds: now + wait) } catch { return nil }
        }
        return waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting
        }
    }

    /// Counts a batch that changed something and was written to the disk.
    func consumeToken(_ clock: any AgentClock) {
        let now = clock.now().uptimeMilliseconds
        bucket.withLock { _ = $0.take(atUptimeMilliseconds: now) }
    }
}
