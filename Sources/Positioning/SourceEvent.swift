import CivilTime
import Tracking

/// What a source of positions says, in the order in which it happened.
public struct SourceEvent: Hashable, Sendable {
    /// What happened.
    public enum Content: Hashable, Sendable {
        /// A position.
        case fix(Fix)
        /// A position that the receiver says no date with: its timestamp has no meaning.
        case undatedFix(Fix)
        /// Positions can be had, or cannot: said once per change, with a sentence for the log and for `status`.
        case state(SourceState, at: ClockReading, detail: String)
    }

    /// What happened.
    public let content: Content
    /// The event's number, counted from 1 at the source's beginning. The same file, or the same simulator settings, gives
    /// the same event the same number in every run; a live source counts from the agent's start.
    public let ordinal: Int64

    /// - Parameters: as the properties of the same names.
    public init(_ content: Content, ordinal: Int64) {
        self.content = content
        self.ordinal = ordinal
    }

    /// The position, where the event is one.
    public var fix: Fix? {
        if case .fix(let fix) = content { fix } else { nil }
    }

    /// When the agent learned of it.
    public var receivedAt: ClockReading {
        switch content {
        case .fix(let fix), .undatedFix(let fix): fix.received
        case .state(_, at: let moment, detail: _): moment
        }
    }
}
