/// Wakes a loop: rung however often while the loop works, it turns once more.
public struct CoalescingSignal: Sendable {
    /// An element for each time that the loop is to turn; for one loop.
    public let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// A signal that was not sent yet.
    public init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the loop.
    public func send() { continuation.yield() }
}
