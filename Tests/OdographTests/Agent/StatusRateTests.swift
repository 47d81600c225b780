import OdographCivilTime
import OdographModel
import OdographThreads
import Testing

@testable import Odograph

@Suite("The rate of statuses")
struct StatusRateTests {
    private final class Counter: Sendable {
        let value = Lock(0)
    }

    @Test("Twenty signals are answered at once, and the next one waits")
    func burst() async {
        let (signal, published) = (CoalescingSignal(), CoalescingSignal())
        let count = Counter()
        let clock = TestClock(
            ClockReading(
                systemTime: Timestamp(millisecondsSinceEpoch: 0), uptimeMilliseconds: 1000, isSystemTimeTrusted: true))
        let loop = Task {
            await StatusRate.run(signal, clock: clock) {
                count.value.withLock { $0 += 1 }
                published.send()
            }
        }
        var answers = published.stream.makeAsyncIterator()
        for _ in 0..<20 {
            signal.send()
            _ = await answers.next()
        }
        for _ in 0..<1000 { signal.send() }
        clock.advance(bySeconds: 9.9)
        #expect(count.value.withLock { $0 } == 20)
        // One more after ten seconds; all signals until then are one.
        clock.advance(bySeconds: 0.2)
        _ = await answers.next()
        loop.cancel()
        await loop.value
        #expect(count.value.withLock { $0 } == 21)
    }
}
