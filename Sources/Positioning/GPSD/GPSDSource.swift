import OdographCivilTime
public import OdographModel
import OdographThreads

/// A gpsd as a source. It connects again for as long as its events are consumed.
///
/// Each change of state is emitted once, and another reason of a loss too: `lost` if gpsd cannot be reached, closes the
/// connection or is silent, or if the receiver is gone or silent; `no_fix` if the receiver has no position; `available`
/// with the first position after these.
public final class GPSDSource: PositionSource {
    /// The capacity of the queue to a busy consumer: more than an hour of events at one per second. Further events are
    /// dropped.
    private static let maximumQueuedEvents = 4096

    private let settings: GPSDSettings
    private let clock: any AgentClock
    private let latestCounters = Lock(SourceCounters())
    private let turnCounter = HeartbeatCounter()
    private let client = Lock<GPSDClient?>(nil)

    /// Creates a source. It connects when its events are requested.
    public init(_ settings: GPSDSettings, clock: any AgentClock) {
        self.settings = settings
        self.clock = clock
    }

    /// The source's name, `gpsd at host:port`.
    public var name: String { "gpsd at \(settings.host):\(settings.port)" }

    /// False: events have the times of the given clock.
    public var usesVirtualTime: Bool { false }

    /// The counters over all connections.
    public var counters: SourceCounters { latestCounters.withLock { $0 } }

    /// The iterations of the client's thread.
    public var loopIterations: Int? { turnCounter.value }

    /// Returns an endless stream of events. It ends if its task is cancelled, or if no thread or descriptor is left.
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
                continuation.yield(event)
            } updateCounters: { counters in
                latestCounters.withLock { $0 = counters }
            }
            continuation.finish()
        }
        if isStarted { self.client.withLock { $0 = client } } else { continuation.finish() }
        return stream
    }

    /// Requests another rate from the receiver, if ``GPSDSettings/changesReceiverRate`` allows it and gpsd can set it,
    /// and selects between stream and polling, see ``GPSDSettings/stationaryPollSeconds``.
    public func requestRate(_ rate: FixRate) {
        client.withLock { $0 }?.requestRate(rate)
    }
}
