import Synchronization

/// A counter of a loop's turns, from which another thread can see that the loop is running.
public final class HeartbeatCounter: Sendable {
    private let count = Atomic(0)

    /// Creates a counter of zero.
    public init() {}

    /// The number of turns.
    public var value: Int { count.load(ordering: .relaxed) }

    /// Adds one turn.
    public func increment() {
        count.wrappingAdd(1, ordering: .relaxed)
    }
}
