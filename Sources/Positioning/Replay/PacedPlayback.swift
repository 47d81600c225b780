import CivilTime
import Tracking

/// What gives events as fast as they are taken.
protocol EventProducer {
    var counters: SourceCounters { get }
    mutating func next() throws(CaptureError) -> SourceEvent?
}

/// One run through a producer's events at a pace, driven by whoever takes them.
actor PacedPlayback<Producer: EventProducer> {
    private let makeProducer: @Sendable () throws(CaptureError) -> Producer
    private let clock: any AgentClock
    private var pacer: Pacer
    private var producer: Producer?

    /// - Parameter make: Makes the producer, when the first event is asked for.
    init(pacer: Pacer, clock: any AgentClock, makeProducer: @escaping @Sendable () throws(CaptureError) -> Producer) {
        self.pacer = pacer
        self.clock = clock
        self.makeProducer = makeProducer
    }

    /// The next event, once it is due; nil at the end, or when the task is cancelled.
    /// - Parameter note: Is given the counters after each step, also where it fails.
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
