/// A live source of signals of the vehicle, beside the source of positions: a CAN bus or an adapter.
///
/// A replay and the simulator deliver signals as events of their ``PositionSource``, so that their order among the
/// positions is always the same.
public protocol VehicleSignalSource: Sendable {
    /// The source's name in the log and in `status`, for example `J1939 on can0`.
    var name: String { get }

    /// Returns the events from now on, for one consumer. The source stops if the iteration or its task ends.
    ///
    /// The stream never ends on its own: if the bus or the adapter fails, the source emits `unavailable` once and tries
    /// again. Signals need not be sent at a fixed rate, but at most ten times a second. A source that has nothing new
    /// repeats the last values at least once a second while the bus still sends them: the consumer measures the age of
    /// each value from ``VehicleSignals/received``.
    func events() -> AsyncStream<VehicleSignalEvent>
}
