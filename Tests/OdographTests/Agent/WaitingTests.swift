import Testing
import OdographThreads

@testable import Odograph

@Suite("Waiting")
struct WaitingTests {
    @Test("Any number of signals during one turn of a loop cause exactly one more turn", .timeLimit(.minutes(5)))
    func doorbell() async {
        let bell = CoalescingSignal()
        var rings = bell.stream.makeAsyncIterator()
        for _ in 1...3 {
            for _ in 1...5 { bell.send() }
            #expect(await rings.next() != nil)
        }
        let more: Bool? = await Task.withTimeout(afterSeconds: 0.01) {
            for await _ in bell.stream { return true }
            return nil
        }
        #expect(more == nil)
    }

    @Test("A task that ends before its timeout returns at once", .timeLimit(.minutes(5)))
    func inTime() async {
        #expect(await Task.withTimeout(afterSeconds: 86_400) { 7 } == 7)
    }

    @Test("A task that exceeds its timeout is cancelled, and its result is returned", .timeLimit(.minutes(5)))
    func late() async {
        let value: Int? = await Task.withTimeout(afterSeconds: 0.01) {
            await Task.waitUntilCancelled()
            return 8
        }
        #expect(value == 8)
    }
}
