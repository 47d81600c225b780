import OdographCivilTime
import OdographModel
import OdographThreads

/// The simulator as a source: a ``DriveSimulator`` in real time, faster, or without pauses.
public final class SimulatorSource: PositionSource {
    private let settings: SimulatorSettings
    private let clock: any AgentClock
    private let latestCounters = Lock(SourceCounters())

    /// Creates a source. The drive begins when its events are requested.
    public init(_ settings: SimulatorSettings, clock: any AgentClock) {
        self.settings = settings
        self.clock = clock
    }

    /// The source's name, `simulator (seed n)`.
    public var name: String { "simulator (seed \(settings.seed))" }

    /// The counters since the start.
    public var counters: SourceCounters { latestCounters.withLock { $0 } }

    /// Whether the drive is not in real time. Otherwise events have the machine's time, as those of a receiver.
    public var usesVirtualTime: Bool { settings.startTime != nil || settings.speedFactor != 1 }

    /// Returns the events of the drive, each when it is due. The stream ends after
    /// ``SimulatorSettings/durationSeconds``.
    public func events() -> AsyncThrowingStream<SourceEvent, any Error> {
        let (settings, clock) = (settings, clock)
        let run = PacedPlayback(
            pacer: Pacer(speedFactor: settings.speedFactor, maximumPauseSeconds: .infinity), clock: clock
        ) { () throws(CaptureError) in
            DriveSimulator(settings, startTime: settings.startTime ?? clock.now().systemTime)
        }
        return AsyncThrowingStream { [self] in
            let event = try await run.next { counters in latestCounters.withLock { $0 = counters } }
            return usesVirtualTime ? event : event?.withReception(at: clock.now())
        }
    }
}

extension SourceEvent {
    /// Returns the same event with another reception time.
    fileprivate func withReception(at moment: ClockReading) -> SourceEvent {
        switch content {
        case .state(let state, at: _, let detail):
            return SourceEvent(.state(state, at: moment, detail: detail), ordinal: ordinal)
        case .fix(var fix):
            fix.received = moment
            return SourceEvent(.fix(fix), ordinal: ordinal)
        case .signals(var signals):
            signals.received = moment
            return SourceEvent(.signals(signals), ordinal: ordinal)
        // The simulator makes no fixes without a date.
        case .undatedFix: return self
        }
    }
}

extension DriveSimulator: EventProducer {}
