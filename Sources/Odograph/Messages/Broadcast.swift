import OdographThreads

/// Sends events to all subscribers.
final class Broadcast<Event: Sendable>: Sendable {
    /// The maximum number of buffered events of a subscriber. Then the oldest are dropped; the store has them all.
    private static var bufferLimit: Int { 1000 }

    private struct State {
        var next = 0
        var subscribers: [Int: AsyncStream<Event>.Continuation] = [:]
    }

    private let state = Lock(State())

    /// Whether there is no subscriber.
    var isEmpty: Bool { state.withLock { $0.subscribers.isEmpty } }

    /// Returns a stream of the events from now on.
    func subscribe() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream<Event>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.bufferLimit))
        let id = state.withLock { state in
            state.next += 1
            state.subscribers[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: id) }
        }
        return stream
    }

    func send(_ event: Event) {
        let listeners = state.withLock { Array($0.subscribers.values) }
        for listener in listeners { listener.yield(event) }
    }

    /// Ends all streams.
    func finish() {
        let listeners = state.withLock { state in
            defer { state.subscribers.removeAll() }
            return Array(state.subscribers.values)
        }
        for listener in listeners { listener.finish() }
    }
}
