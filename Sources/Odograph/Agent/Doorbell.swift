/// Wakes a loop: rung however often while the loop works, it turns once more.
struct Doorbell: Sendable {
    /// An element for each time that the loop is to turn; for one loop.
    let rings: AsyncStream<Void>
    private let button: AsyncStream<Void>.Continuation

    init() {
        (rings, button) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func ring() { button.yield() }
}
