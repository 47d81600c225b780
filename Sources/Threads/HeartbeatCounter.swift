import Synchronization

/// Counts the turns of a loop, so that somebody else can see that it goes on.
public final class HeartbeatCounter: Sendable {
    private let count = Atomic(0)

    /// No turn yet.
    public init() {}

    /// The turns so far.
    public var value: Int { count.load(ordering: .relaxed) }

    /// One more.
    public func increment() {
        count.wrappingAdd(1, ordering: .relaxed)
    }
}
