import OdographModel

/// The one place that decides for mode `private` whether a value with positions may leave the tracker. For mode `stop`
/// and disabled tracking ``Tracker/isSuspended`` decides: then no position enters the tracker or the journal.
///
/// In private time a value leaves without its positions, or not at all. Only ``disclose(_:)`` creates a ``Disclosed``
/// value. Outside this module, the wire forms are made of nothing else, and the input journal and the snapshot accept
/// nothing else, so an outlet that uses them and does not pass this barrier does not compile. Code that encodes a
/// ``Tracker`` or a ``Fix`` itself is not prevented.
struct PrivacyBarrier {
    /// Whether positions must not leave.
    let isPrivate: Bool

    /// Creates the barrier of a schedule's rule; nil: the schedule is open.
    init(rule: OffScheduleRule?) {
        isPrivate = rule?.mode == .private
    }

    /// Returns a value that private time withholds; nil in private time.
    func disclose<Value: WithheldInPrivateTime>(_ value: Value) -> Disclosed<Value>? {
        isPrivate ? nil : Disclosed(value)
    }

    /// Returns a value that private time leaves without its positions.
    func disclose<Value: ErasedInPrivateTime>(_ value: Value) -> Disclosed<Value> {
        Disclosed(isPrivate || value.isOfPrivateTime ? value.withoutPositions() : value)
    }
}

/// A value that a ``PrivacyBarrier`` has disclosed by the schedule's rule of its tracker. Only the barrier creates one.
@dynamicMemberLookup
public struct Disclosed<Value> {
    /// The value.
    public let value: Value

    fileprivate init(_ value: Value) {
        self.value = value
    }

    /// Returns a member of the value.
    public subscript<Member>(dynamicMember member: KeyPath<Value, Member>) -> Member { value[keyPath: member] }
}

extension Disclosed: Equatable where Value: Equatable {}
extension Disclosed: Hashable where Value: Hashable {}
extension Disclosed: Sendable where Value: Sendable {}

/// A value that does not leave the tracker in private time.
protocol WithheldInPrivateTime {}

/// A value that leaves the tracker in private time without its positions and what follows from them.
protocol ErasedInPrivateTime {
    /// Whether the value is of private time, even if the schedule is open now.
    var isOfPrivateTime: Bool { get }
    /// Returns the value without its positions.
    func withoutPositions() -> Self
}

extension ErasedInPrivateTime {
    var isOfPrivateTime: Bool { false }
}
