import OdographCivilTime
import OdographModel
import Testing
import OdographThreads
import OdographTracking

@testable import OdographPositioning

@Suite("The pace of a replay")
struct PacerTests {
    private static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(millisecondsSinceEpoch: milliseconds) }

    /// Returns the due times of events with these recorded times, in milliseconds after the first call.
    private static func due(_ recorded: [Int64], speed: Double?, longestPause: Double = 3600) -> [Int64?] {
        var pacer = Pacer(speedFactor: speed, maximumPauseSeconds: longestPause)
        let start: Int64 = 77_000
        return recorded.map { pacer.dueTime(for: time($0), now: start)?.advanced(by: -Int(start)) }
    }

    @Test(
        "The pace is the recorded one times a factor; backward steps take no time, long pauses are shortened",
        arguments: [
            ([0, 1000, 2500], 1.0, 3600.0, [0, 1000, 2500]),
            ([0, 1000, 2500], 10.0, 3600.0, [0, 100, 250]),
            ([0, 1000, 2500], 0.5, 3600.0, [0, 2000, 5000]),
            ([5000, 4000, 6000], 1.0, 3600.0, [0, 0, 2000]),
            ([0, 7_200_000, 7_201_000], 1.0, 60.0, [0, 60_000, 61_000]),
            ([0, 7_200_000], 100.0, 60.0, [0, 600]),
            ([0, 0, 0], 1.0, 60.0, [0, 0, 0]),
        ] as [([Int64], Double, Double, [Int64])])
    func pace(recorded: [Int64], speed: Double, longestPause: Double, expected: [Int64]) {
        #expect(Self.due(recorded, speed: speed, longestPause: longestPause) == expected)
    }

    @Test("Without a positive factor there is no pace", arguments: [nil, 0, -1])
    func unpaced(speed: Double?) {
        #expect(Self.due([0, 1000, 2500], speed: speed) == [nil, nil, nil])
    }

    @Test("A million steps of a third of a millisecond end without a rounding error")
    func roundings() {
        var pacer = Pacer(speedFactor: 3, maximumPauseSeconds: 60)
        var last: Int64?
        for step in 0...1_000_000 as ClosedRange<Int64> { last = pacer.dueTime(for: Self.time(step), now: 0) }
        #expect(last == 333_333)
    }

    @Test("A late consumer gets the next events at once, until it has caught up")
    func lateConsumer() async throws {
        let clock = LateClock()
        let run = PacedPlayback(pacer: Pacer(speedFactor: 1, maximumPauseSeconds: 60), clock: clock) {
            () throws(CaptureError) in Seconds(remaining: 6)
        }
        var taken: [Int64] = []
        while let event = try await run.next(updateCounters: { _ in }) {
            taken.append(clock.now().uptimeMilliseconds)
            // The second event takes three and a half seconds.
            if event.ordinal == 2 { clock.pass(milliseconds: 3500) }
        }
        #expect(taken == [0, 1000, 4500, 4500, 4500, 5000])
    }

    @Test("A replay that is cancelled while it waits ends without an error")
    func cancelled() async throws {
        let run = PacedPlayback(pacer: Pacer(speedFactor: 1, maximumPauseSeconds: 60), clock: SystemAgentClock()) {
            () throws(CaptureError) in Seconds(remaining: 6, stepSeconds: 60)
        }
        let taker = Task {
            var count = 0
            while try await run.next(updateCounters: { _ in }) != nil { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(50))
        taker.cancel()
        #expect(try await taker.value <= 1)
    }
}

/// Events at a constant interval.
private struct Seconds: EventProducer {
    var remaining: Int
    var stepSeconds = 1.0
    private(set) var counters = SourceCounters()

    init(remaining: Int, stepSeconds: Double = 1) {
        self.remaining = remaining
        self.stepSeconds = stepSeconds
    }

    mutating func next() throws(CaptureError) -> SourceEvent? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        counters.linesRead += 1
        let time = Timestamp(millisecondsSinceEpoch: 0)
            .advanced(bySeconds: Double(counters.linesRead) * stepSeconds)
        return SourceEvent(
            .state(.available, at: ClockReading(replayed: time), detail: ""), ordinal: Int64(counters.linesRead))
    }
}

/// A monotonic clock that advances only by sleeping and by `pass`.
private final class LateClock: AgentClock {
    private let uptimeMilliseconds = Lock<Int64>(0)

    func now() -> ClockReading {
        ClockReading(replayed: Timestamp(millisecondsSinceEpoch: uptimeMilliseconds.withLock { $0 }))
    }

    func pass(milliseconds: Int64) { uptimeMilliseconds.withLock { $0 += milliseconds } }

    func sleep(untilUptimeMilliseconds due: Int64) async throws {
        uptimeMilliseconds.withLock { $0 = max($0, due) }
    }
}
