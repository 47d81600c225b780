import Positioning
import Threads

/// What has come on a topic and was not looked at yet.
enum IncomingDocument: Sendable {
    case payload([UInt8])
    /// It was longer than is taken, by its length in bytes.
    case oversized(Int)
}

/// Documents between the link, which never waits, and whoever puts them into force, which takes time and a write to the
/// disk: a few at once, as when several levels arrive together, then one lot a second. Of a flood only the newest of each
/// topic counts.
final class DocumentInbox<Topic: Hashable & Sendable>: Sendable {
    private let capacity: Int
    private let waiting = Lock<[Topic: IncomingDocument]>([:])
    private let bucket = Lock(TokenBucket(capacity: 10, perSecond: 1))
    private let arrivalSignal = CoalescingSignal()

    /// - Parameter most: more topics than this do not wait: they are made up.
    init(capacity: Int = .max) {
        self.capacity = capacity
    }

    /// A document has come.
    func offer(_ document: IncomingDocument, on topic: Topic) {
        waiting.withLock { waiting in
            if waiting.count < capacity || waiting[topic] != nil { waiting[topic] = document }
        }
        arrivalSignal.send()
    }

    /// What has come, once there is something and it may be looked at; nil when the task is cancelled.
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

    /// A lot has said something new, and has been written to the disk.
    func consumeToken(_ clock: any AgentClock) {
        let now = clock.now().uptimeMilliseconds
        bucket.withLock { _ = $0.take(atUptimeMilliseconds: now) }
    }
}
