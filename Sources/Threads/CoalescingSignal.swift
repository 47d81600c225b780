/// A signal that wakes a loop. Several signals during one iteration cause one further iteration.
public struct CoalescingSignal: Sendable {
    /// The stream with one element for each iteration. It serves one loop.
    public let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// A signal that was not sent yet.
    public init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the loop.
    public func send() { continuation.yield() }
}
