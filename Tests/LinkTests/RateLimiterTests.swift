import OdographHarness
import Testing

@testable import OdographLink

@Suite("The caps on the rate")
struct RateLimiterTests {
    /// Returns when each of many waiting messages leaves, in milliseconds.
    private static func departures(_ limits: RateLimits, count: Int, bytes: (Int) -> Int) -> [Int64] {
        var limiter = RateLimiter(limits)
        var (now, departures) = (Int64(0), [Int64]())
        while departures.count < count {
            let size = bytes(departures.count)
            let wait = limiter.waitForBatchMilliseconds(
                pendingCount: count - departures.count, messageBytes: size, now: now)
            if wait > 0 {
                now += wait
                continue
            }
            while departures.count < count,
                limiter.takeMilliseconds(messageBytes: bytes(departures.count), now: now) == 0
            {
                departures.append(now)
            }
        }
        return departures
    }

    @Test("No second contains more messages than the cap, and a backlog uses it", arguments: [1, 2, 7, 50, 100, 1000])
    func messages(cap: Int) {
        let count = cap * 10 + 1
        let times = Self.departures(RateLimits(messagesPerSecond: cap), count: count) { _ in 300 }
        for (index, time) in times.enumerated() {
            let inSecond = times[index...].prefix { $0 < time + 1000 }.count
            guard inSecond <= cap else {
                Issue.record("\(inSecond) messages in the second from \(time)")
                return
            }
        }
        let seconds = Double(times[count - 1]) / 1000
        #expect(seconds < 12.5, "the cap is used to at least four fifths")
    }

    @Test("The mean of the bytes keeps the cap for messages of any size", arguments: UInt64(1)...5)
    func bytes(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let sizes = (0..<400).map { _ in Int.random(in: 100...60_000, using: &generator) }
        let times = Self.departures(RateLimits(bytesPerSecond: 100_000), count: sizes.count) { sizes[$0] }
        let seconds = Double(times.last ?? 0) / 1000
        let total = Double(sizes.reduce(0, +))
        // The burst and one long message.
        #expect(total <= 100_000 * seconds + 10_000 + 60_000)
        #expect(total > 85_000 * seconds)
    }

    @Test("Without a cap nothing waits")
    func unlimited() {
        var limiter = RateLimiter(RateLimits())
        let wait = limiter.waitForBatchMilliseconds(pendingCount: 1_000_000, messageBytes: 1 << 20, now: 0)
        #expect(limiter.isUnlimited && wait == 0)
    }
}

@Suite("The maximum in flight in bytes")
struct InFlightBytesTests {
    @Test("Messages in flight stay below the bound, a longer one goes alone, and each acknowledgement frees its bytes")
    func maximumInFlight() {
        var inFlight = InFlightMessages(maximum: 10, maximumBytes: 1000)
        #expect(inFlight.hasRoom(forBytes: 5000))
        inFlight.insert(1, token: 1, bytes: 5000, nowMilliseconds: 0)
        #expect(!inFlight.hasRoom(forBytes: 1))
        _ = inFlight.acknowledge(1, nowMilliseconds: 0)
        inFlight.insert(2, token: 2, bytes: 600, nowMilliseconds: 0)
        #expect(inFlight.hasRoom(forBytes: 400) && !inFlight.hasRoom(forBytes: 401))
        inFlight.insert(3, token: 3, bytes: 400, nowMilliseconds: 0)
        _ = inFlight.removeAll()
        #expect(inFlight.bytes == 0)
    }
}
