import OdographCivilTime
import OdographThreads

/// A recorded drive as a source: the events of a ``CaptureReader`` in real time, faster, or without pauses. The
/// consumer drives it; it reads at most one chunk of the file in advance.
public final class ReplaySource: PositionSource {
    private let settings: ReplaySettings
    private let clock: any AgentClock
    private let latestCounters = Lock(SourceCounters())

    /// Creates a source. It opens the file when its events are requested.
    public init(_ settings: ReplaySettings, clock: any AgentClock) {
        self.settings = settings
        self.clock = clock
    }

    /// The source's name, `replay of path`.
    public var name: String { "replay of \(settings.path)" }

    /// True: events have the times of the capture.
    public var usesVirtualTime: Bool { true }

    /// The counters since the start.
    public var counters: SourceCounters { latestCounters.withLock { $0 } }

    /// Returns the events after ``ReplaySettings/resumeAfterOrdinal``, each when it is due. Throws a ``CaptureError``.
    public func events() -> AsyncThrowingStream<SourceEvent, any Error> {
        let run = PacedPlayback(
            pacer: Pacer(speedFactor: settings.speedFactor, maximumPauseSeconds: settings.maximumPauseSeconds),
            clock: clock
        ) { [settings] () throws(CaptureError) in try CaptureReader(settings) }
        return AsyncThrowingStream { [self] in
            try await run.next { counters in latestCounters.withLock { $0 = counters } }
        }
    }
}

extension CaptureReader: EventProducer {}
