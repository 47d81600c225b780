import Synchronization

/// Counts the turns of a loop, so that somebody else can see that it goes on.
public final class TurnCounter: Sendable {
    private let count = Atomic(0)

    /// No turn yet.
    public init() {}

    /// The turns so far.
    public var value: Int { count.load(ordering: .relaxed) }

    /// One more.
    public func add() {
        count.wrappingAdd(1, ordering: .relaxed)
    }
}
