import OdographModel
import OdographThreads
import OdographVehicleBus

/// The thread of a source: its clock, its end, and its pauses.
final class SourceLoop: Sendable {
    /// The capacity of the queue to a busy consumer: a minute of signals. Older events are dropped.
    private static let maximumQueuedEvents = 64

    let wakeUp: PollWaker
    private let clock: any AgentClock
    private let hasStopped = Lock(false)

    private init?(clock: any AgentClock) {
        guard let wakeUp = PollWaker() else { return nil }
        self.wakeUp = wakeUp
        self.clock = clock
    }

    /// Runs a function on a new thread until the consumer of the stream ends. The stream ends at once if the process
    /// has no descriptor or thread left.
    static func stream(
        clock: any AgentClock,
        _ run: @escaping @Sendable (SourceLoop, (VehicleBusEvent) -> Void) -> Void
    ) -> AsyncStream<VehicleSignalEvent> {
        Self.stream(of: VehicleSignalEvent.self, clock: clock) { loop, emit in
            run(loop) { event in
                if let event = VehicleSignalEvent(event) { emit(event) }
            }
        }
    }

    /// Runs a function on a new thread until the consumer of the stream ends, as ``stream(clock:_:)`` does.
    static func stream<Event: Sendable>(
        of type: Event.Type, clock: any AgentClock, _ run: @escaping @Sendable (SourceLoop, (Event) -> Void) -> Void
    ) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(maximumQueuedEvents))
        guard let loop = SourceLoop(clock: clock) else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in loop.stop() }
        let isStarted = WorkerThread.start {
            run(loop) { continuation.yield($0) }
            continuation.finish()
        }
        if !isStarted { continuation.finish() }
        return stream
    }

    /// The current readings of the clocks.
    var now: ClockReading { clock.now() }

    /// Whether the thread must end.
    var isStopped: Bool { hasStopped.withLock { $0 } }

    private func stop() {
        hasStopped.withLock { $0 = true }
        wakeUp.wake()
    }

    /// Runs a function again and again until the thread must end, with a pause after each time it ends.
    /// - Parameters:
    ///   - minimumSeconds: The upper bound of the first pause.
    ///   - maximumSeconds: The upper bound of every pause.
    func retry(minimumSeconds: Double, maximumSeconds: Double, _ attempt: () -> Void) {
        var backoff = Backoff(
            minimumSeconds: minimumSeconds, maximumSeconds: maximumSeconds, resetSeconds: maximumSeconds,
            floorSeconds: 0.1)
        var generator = SystemRandomNumberGenerator()
        while !isStopped {
            let began = now
            attempt()
            let seconds = backoff.nextDelaySeconds(connectedSeconds: now.seconds(since: began), using: &generator)
            pause(milliseconds: Int64(seconds * 1000))
        }
    }

    /// Waits for a descriptor until an uptime; without a limit if that is nil.
    /// - Returns: Whether the descriptor can be used.
    func wait(for descriptor: Int32, untilUptimeMilliseconds uptime: Int64?) -> Bool {
        let remaining = uptime.map { Int32(clamping: $0.subtractingClamped(now.uptimeMilliseconds)) }
        return wakeUp.wait(for: descriptor, milliseconds: remaining) == .ready
    }

    /// Waits for a time, or until the thread must end.
    func pause(milliseconds: Int64) {
        let end = now.uptimeMilliseconds + milliseconds
        while !isStopped, case let remaining = end - now.uptimeMilliseconds, remaining > 0 {
            _ = wakeUp.wait(milliseconds: Int32(clamping: remaining))
        }
    }
}

extension Int64 {
    fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (self < 0 ? .min : .max) : difference
    }
}

extension VehicleSignalEvent {
    /// The event for the consumer; nil for a state that the signals or their absence show.
    fileprivate init?(_ event: VehicleBusEvent) {
        switch event {
        case .signals(let signals): self = .signals(signals)
        case .state(.lost, _, let detail): self = .unavailable(detail: detail)
        case .state(.available, _, _), .state(.silent, _, _): return nil
        // The consumer logs the sentence, and shows it if there are no signals at all.
        case .doubt(let detail, _):
            guard let detail else { return nil }
            self = .unavailable(detail: detail)
        }
    }
}
