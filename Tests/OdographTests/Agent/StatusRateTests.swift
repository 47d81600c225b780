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
        let loop = Task {
            await StatusRate.run(signal) {
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
        loop.cancel()
        await loop.value
        #expect(count.value.withLock { $0 } == 20)
    }
}
