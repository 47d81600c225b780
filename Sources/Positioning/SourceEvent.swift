import OdographCivilTime
import OdographModel

/// An event of a position source. Events are in the order in which they happened.
public struct SourceEvent: Hashable, Sendable {
    /// The content of an event.
    public enum Content: Hashable, Sendable {
        /// A position.
        case fix(Fix)
        /// A position without a date from the receiver. Its timestamp has no meaning.
        case undatedFix(Fix)
        /// Signals of the vehicle, from a simulator or a capture, in the order of time among the positions.
        case signals(VehicleSignals)
        /// A change of the availability of positions, emitted once, with a sentence for the log and for `status`.
        case state(SourceState, at: ClockReading, detail: String)
    }

    /// The content.
    public let content: Content
    /// The event's number, from 1 at the start of the source. The same file or simulator settings give each event the
    /// same number in every run. A live source counts from the agent's start.
    public let ordinal: Int64

    /// Creates an event.
    public init(_ content: Content, ordinal: Int64) {
        self.content = content
        self.ordinal = ordinal
    }

    /// The time at which the agent received the event.
    public var receivedAt: ClockReading {
        switch content {
        case .fix(let fix), .undatedFix(let fix): fix.received
        case .signals(let signals): signals.received
        case .state(_, at: let moment, detail: _): moment
        }
    }
}
