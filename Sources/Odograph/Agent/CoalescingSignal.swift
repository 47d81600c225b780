/// Wakes a loop: rung however often while the loop works, it turns once more.
struct CoalescingSignal: Sendable {
    /// An element for each time that the loop is to turn; for one loop.
    let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func send() { continuation.yield() }
}
