public import OdographModel

/// An event of a source of signals. Events are in the order in which they happened.
public enum VehicleSignalEvent: Hashable, Sendable {
    /// Values that the source received. A value that it did not receive at this time is nil.
    case signals(VehicleSignals)
    /// The source has no signals, with a sentence for the log and for `status`: the adapter was removed, the bus is
    /// off, or nothing was received for longer than the protocol permits. The next signals end this state.
    case unavailable(detail: String)
}
