import CivilTime
import Threads
import Tracking

/// The simulator as a source: a ``DriveSimulator`` in real time, faster, or as fast as it is taken.
public final class SimulatorSource: PositionSource {
    private let settings: SimulatorSettings
    private let clock: any AgentClock
    private let latestCounters = Lock(SourceCounters())

    /// The drive begins when its events are asked for.
    public init(_ settings: SimulatorSettings, clock: any AgentClock) {
        self.settings = settings
        self.clock = clock
    }

    /// `simulator (seed n)`.
    public var name: String { "simulator (seed \(settings.seed))" }

    /// What was handed on so far.
    public var counters: SourceCounters { latestCounters.withLock { $0 } }

    /// Whether the drive is one of another time or at another speed. One that begins now and in real time is received by
    /// the machine's clock, as a receiver's fixes are.
    public var usesVirtualTime: Bool { settings.startTime != nil || settings.speedFactor != 1 }

    /// The events of the drive, each when it is due; the stream ends with ``SimulatorSettings/durationSeconds``.
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
    /// The same event, learned of at another moment.
    fileprivate func withReception(at moment: ClockReading) -> SourceEvent {
        switch content {
        case .state(let state, at: _, let detail):
            return SourceEvent(.state(state, at: moment, detail: detail), ordinal: ordinal)
        case .fix(var fix):
            fix.received = moment
            return SourceEvent(.fix(fix), ordinal: ordinal)
        // A simulated receiver knows the time.
        case .undatedFix: return self
        }
    }
}

extension DriveSimulator: EventProducer {}
