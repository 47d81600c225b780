import CivilTime
import Geodesy

/// A position whose date nobody vouches for yet.
public struct ReceivedFix: Hashable, Sendable, Codable {
    /// The position. Its timestamp is what the receiver says, or of no meaning.
    public var fix: Fix
    /// Whether the receiver says a date with it.
    public var hasReceiverDate: Bool

    /// - Parameters: as the properties of the same names.
    public init(_ fix: Fix, hasReceiverDate: Bool) {
        self.fix = fix
        self.hasReceiverDate = hasReceiverDate
    }
}
