/// What the tracker would like of the receiver.
public enum RateRequest: Hashable, Sendable {
    /// The vehicle moves: positions as often as configured.
    case full
    /// The vehicle stands: fewer positions do.
    case reduced
}

/// A source of positions: a gpsd, a file, or the simulator.
public protocol PositionSource: Sendable {
    /// What it is, for the log and for `status`: `gpsd at 127.0.0.1:2947`.
    var name: String { get }

    /// Whether its events carry moments of their own (`Moment(replayed:)`), to which the machine's clocks have no relation:
    /// whoever takes them must then not mix them with readings of a clock.
    var usesVirtualTime: Bool { get }

    /// What was read and skipped so far.
    var counters: SourceCounters { get }

    /// Turns of the loop that waits for positions; nil where there is none that could stand still.
    var loopIterations: Int? { get }

    /// The events from here on. Meant for one consumer; ending the iteration, or cancelling its task, stops the source.
    ///
    /// A live source never ends and never throws: it says `lost` and tries again. A file ends, or throws a
    /// ``CaptureError``.
    func events() -> AsyncThrowingStream<SourceEvent, any Error>

    /// Tells the source how often positions are wanted. A source that cannot change its rate does nothing.
    func requestRate(_ wish: RateRequest)
}

extension PositionSource {
    /// nil: the default of a source that waits for nobody.
    public var loopIterations: Int? { nil }

    /// Does nothing: the default of a source whose rate is fixed.
    public func requestRate(_ wish: RateRequest) {}
}
