import OdographModel

/// An event of a source of signals. Events are in the order in which they happened.
package enum VehicleBusEvent: Hashable, Sendable {
    /// The state of a source of signals.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// The source provides signals.
        case available
        /// The source can be used, but the vehicle sends nothing, which is normal while it is switched off.
        case silent
        /// The source cannot be used, or became silent while the vehicle was moving or its engine was running.
        case lost
    }

    /// Signals of the vehicle.
    case signals(VehicleSignals)
    /// A change of the state or of the reason of a failure, with a sentence for the log and for `status`.
    case state(State, at: ClockReading, detail: String)
    /// Signals that are withheld because they cannot be true, with a sentence; nil if there are none any more.
    case doubt(String?, at: ClockReading)
}
