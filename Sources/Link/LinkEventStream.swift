import OdographThreads

/// The events of a client, for one consumer. The stream ends when the client has stopped.
///
/// No event is dropped. If the consumer is too slow, the client stops reading from the broker once `capacityBytes` of
/// messages are buffered. So memory is bounded, and the broker keeps the rest.
package final class LinkEventStream: AsyncSequence, Sendable {
    /// The element of the stream.
    package typealias Element = LinkEvent

    private struct State {
        var buffered: [LinkEvent] = []
        var messageBytes = 0
        var isFinished = false
        var consumer: CheckedContinuation<[LinkEvent], Never>?
    }

    private let state = Lock(State())
    private let capacityBytes: Int
    private let onSpaceAvailable: @Sendable () -> Void

    init(capacityBytes: Int, onSpaceAvailable: @escaping @Sendable () -> Void) {
        self.capacityBytes = capacityBytes
        self.onSpaceAvailable = onSpaceAvailable
    }

    /// Whether the buffered messages reach the capacity.
    var isFull: Bool { state.withLock { $0.messageBytes >= capacityBytes } }

    func yield(_ event: LinkEvent) { yield(contentsOf: [event]) }

    func yield(contentsOf events: [LinkEvent]) {
        guard !events.isEmpty else { return }
        let handover = state.withLock { state -> (CheckedContinuation<[LinkEvent], Never>, [LinkEvent])? in
            guard !state.isFinished else { return nil }
            if let consumer = state.consumer {
                state.consumer = nil
                return (consumer, events)
            }
            for case .message(let message) in events { state.messageBytes += message.payload.count + 256 }
            state.buffered += events
            return nil
        }
        handover?.0.resume(returning: handover?.1 ?? [])
    }

    func finish() {
        let consumer = state.withLock { state in
            state.isFinished = true
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume(returning: [])
    }

    /// Waits for events and returns all of them; empty at the end and if the consumer's task is cancelled.
    package func nextBatch() async -> [LinkEvent] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<[LinkEvent], Never>) in
                waitForBatch(continuation)
            }
        } onCancel: {
            let consumer = state.withLock { state in
                defer { state.consumer = nil }
                return state.consumer
            }
            consumer?.resume(returning: [])
        }
    }

    private func waitForBatch(_ continuation: CheckedContinuation<[LinkEvent], Never>) {
        var wasFull = false
        let batch = state.withLock { state -> [LinkEvent]? in
            if state.buffered.isEmpty, !state.isFinished, !Task.isCancelled {
                state.consumer = continuation
                return nil
            }
            wasFull = state.messageBytes >= capacityBytes
            state.messageBytes = 0
            defer { state.buffered = [] }
            return state.buffered
        }
        guard let batch else { return }
        if wasFull { onSpaceAvailable() }
        continuation.resume(returning: batch)
    }

    /// Returns an iterator. Only one may be in use at a time.
    package func makeAsyncIterator() -> Iterator { Iterator(events: self) }

    /// An iterator over the events, which takes them in batches.
    package struct Iterator: AsyncIteratorProtocol {
        let events: LinkEventStream
        private var batch: ArraySlice<LinkEvent> = []

        init(events: LinkEventStream) { self.events = events }

        /// Returns the next event; nil at the end.
        package mutating func next() async -> LinkEvent? {
            if batch.isEmpty { batch = await events.nextBatch()[...] }
            // An empty slice keeps its whole array, and with it a large payload, until the next event.
            defer { if batch.isEmpty { batch = [] } }
            return batch.popFirst()
        }
    }
}
