public import OdographModel

/// A source of positions: a gpsd, a file, or the simulator.
public protocol PositionSource: Sendable {
    /// The source's name in the log and in `status`, for example `gpsd at 127.0.0.1:2947`.
    var name: String { get }

    /// Whether events have their own times (`ClockReading(replayed:)`), unrelated to the machine's clocks. A consumer
    /// must not mix them with readings of a clock.
    var usesVirtualTime: Bool { get }

    /// The counters since the start.
    var counters: SourceCounters { get }

    /// The iterations of the loop that waits for positions, for the watchdog; nil if there is no such loop.
    var loopIterations: Int? { get }

    /// Returns the events from now on, for one consumer. The source stops if the iteration or its task ends.
    ///
    /// A live source never ends and never throws: it emits `lost` and tries again. A file may throw a ``CaptureError``.
    func events() -> AsyncThrowingStream<SourceEvent, any Error>

    /// Requests a rate of positions. A source with a fixed rate does nothing.
    func requestRate(_ rate: FixRate)
}

extension PositionSource {
    /// False, for live sources.
    public var usesVirtualTime: Bool { false }

    /// Nil, for sources that do not wait.
    public var loopIterations: Int? { nil }

    /// Does nothing, for sources with a fixed rate.
    public func requestRate(_ rate: FixRate) {}
}
