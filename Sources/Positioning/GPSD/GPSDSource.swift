import CivilTime
import Tracking
import Threads

/// A gpsd as a source: connects, watches, and connects anew for as long as its events are taken.
///
/// Every change is said once: `lost` when the daemon cannot be reached, closes, or says nothing, and when the receiver is
/// gone or silent; `no_fix` when the receiver has no position; `available` with the first position after either.
public final class GPSDSource: PositionSource {
    /// Events wait here for a consumer that is busy: more than an hour of them at one a second. What then comes is
    /// dropped, and counted.
    private static let maximumQueuedEvents = 4096

    private let settings: GPSDSettings
    private let clock: any AgentClock
    private let latestCounters = Lock(SourceCounters())
    private let turnCounter = HeartbeatCounter()
    private let client = Lock<GPSDClient?>(nil)

    /// Connects only when the events are asked for.
    public init(_ settings: GPSDSettings, clock: any AgentClock) {
        self.settings = settings
        self.clock = clock
    }

    /// `gpsd at host:port`.
    public var name: String { "gpsd at \(settings.host):\(settings.port)" }

    /// False: its events are stamped by the clock that it was given.
    public var usesVirtualTime: Bool { false }

    /// What was read and skipped so far, over all connections.
    public var counters: SourceCounters { latestCounters.withLock { $0 } }

    /// Turns of the thread that waits for the gpsd.
    public var loopIterations: Int? { turnCounter.value }

    /// - Returns: Events without end. The stream ends when its task is cancelled, or at once where the process has
    ///   neither a thread nor a descriptor left.
    public func events() -> AsyncThrowingStream<SourceEvent, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: SourceEvent.self, bufferingPolicy: .bufferingOldest(Self.maximumQueuedEvents))
        guard let client = GPSDClient(settings, clock: clock, turns: turnCounter) else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in client.stop() }
        let isStarted = WorkerThread.start { [self] in
            client.run { event in
                if case .dropped = continuation.yield(event) { return false }
                return true
            } updateCounters: { counters in
                latestCounters.withLock { $0 = counters }
            }
            continuation.finish()
        }
        if isStarted { self.client.withLock { $0 = client } } else { continuation.finish() }
        return stream
    }

    /// Asks the receiver for another rate where ``GPSDSettings/changesReceiverRate`` allows it and gpsd says that the
    /// receiver can be set; else does nothing.
    public func requestRate(_ wish: RateRequest) {
        client.withLock { $0 }?.requestRate(wish)
    }
}
