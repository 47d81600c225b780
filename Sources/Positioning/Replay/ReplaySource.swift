import CivilTime
import Threads

/// A recorded drive as a source: the events of a ``CaptureReader``, in real time, faster, or as fast as they are taken.
/// It is driven by whoever takes the events and reads no further ahead than a chunk of the file.
public final class ReplaySource: PositionSource {
    private let settings: ReplaySettings
    private let clock: any AgentClock
    private let latestCounters = Lock(SourceCounters())

    /// Opens the file only when the events are asked for.
    public init(_ settings: ReplaySettings, clock: any AgentClock) {
        self.settings = settings
        self.clock = clock
    }

    /// `replay of path`.
    public var name: String { "replay of \(settings.path)" }

    /// True: a replay lives in its capture's time.
    public var usesVirtualTime: Bool { true }

    /// What was read and skipped so far.
    public var counters: SourceCounters { latestCounters.withLock { $0 } }

    /// The events behind ``ReplaySettings/resumeAfterOrdinal``, each when it is due. Throws a ``CaptureError``.
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
