import OdographThreads

/// Tells the threads that run commands that the recorder stops.
final class StopSign: Sendable {
    private let state = Lock(false)

    /// Whether the recorder stops.
    var isSet: Bool { state.withLock { $0 } }

    /// Notes that the recorder stops.
    func set() { state.withLock { $0 = true } }
}
