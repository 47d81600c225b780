import OdographCivilTime
import OdographModel

/// A producer of events without pacing.
protocol EventProducer {
    var counters: SourceCounters { get }
    mutating func next() throws(CaptureError) -> SourceEvent?
}

/// One paced run through a producer's events, driven by its consumer.
actor PacedPlayback<Producer: EventProducer> {
    private let makeProducer: @Sendable () throws(CaptureError) -> Producer
    private let clock: any AgentClock
    private var pacer: Pacer
    private var producer: Producer?

    /// Creates a run.
    /// - Parameter makeProducer: Creates the producer when the first event is requested.
    init(pacer: Pacer, clock: any AgentClock, makeProducer: @escaping @Sendable () throws(CaptureError) -> Producer) {
        self.pacer = pacer
        self.clock = clock
        self.makeProducer = makeProducer
    }

    /// Returns the next event when it is due; nil at the end, or if the task is cancelled.
    /// - Parameter updateCounters: Receives the counters after each step, also after a failed one.
    func next(updateCounters: @Sendable (SourceCounters) -> Void) async throws -> SourceEvent? {
        guard !Task.isCancelled else { return nil }
        let event = try step(updateCounters: updateCounters)
        guard let event, let due = pacer.dueTime(for: event.receivedAt.systemTime, now: clock.now().uptimeMilliseconds)
        else {
            return event
        }
        do {
            try await clock.sleep(untilUptimeMilliseconds: due)
        } catch is CancellationError {
            return nil
        }
        return event
    }

    private func step(updateCounters: @Sendable (SourceCounters) -> Void) throws -> SourceEvent? {
        var current = if let producer { producer } else { try makeProducer() }
        defer {
            producer = current
            updateCounters(current.counters)
        }
        return try current.next()
    }
}
