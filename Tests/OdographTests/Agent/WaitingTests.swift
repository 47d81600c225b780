import Testing
import Threads

@testable import Odograph

@Suite("Waiting")
struct WaitingTests {
    @Test("However often a bell was rung while a loop worked, the loop turns once more", .timeLimit(.minutes(5)))
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

    @Test("What ends in time is not waited for any longer", .timeLimit(.minutes(5)))
    func inTime() async {
        #expect(await Task.withTimeout(afterSeconds: 86_400) { 7 } == 7)
    }

    @Test("What does not end in time is cancelled, and what it comes to then counts", .timeLimit(.minutes(5)))
    func late() async {
        let value: Int? = await Task.withTimeout(afterSeconds: 0.01) {
            await Task.waitUntilCancelled()
            return 8
        }
        #expect(value == 8)
    }
}
