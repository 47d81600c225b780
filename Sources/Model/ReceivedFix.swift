import OdographCivilTime
import OdographGeodesy

/// A position whose date is not confirmed yet.
public struct ReceivedFix: Hashable, Sendable {
    /// The position. Its timestamp is meaningless unless ``hasReceiverDate`` is true.
    public var fix: Fix
    /// Whether the receiver reported a date.
    public var hasReceiverDate: Bool

    /// Creates a position.
    public init(_ fix: Fix, hasReceiverDate: Bool) {
        self.fix = fix
        self.hasReceiverDate = hasReceiverDate
    }
}
