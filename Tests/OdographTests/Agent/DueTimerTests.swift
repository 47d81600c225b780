import OdographCivilTime
import OdographHarness
import OdographModel
import Testing

@testable import Odograph

@Suite("The timer of an actor")
struct DueTimerTests {
    /// An actor with a timer, which notes what was due.
    private actor Owner {
        private let clock: TestClock
        private var timer = DueTimer()
        private(set) var done: [String] = []

        init(_ clock: TestClock) { self.clock = clock }

        var isSet: Bool { timer.isSet }

        func set(_ due: Int64?, _ name: String) {
            timer.set(due, clock: clock) { [weak self] in await self?.handle(name) }
        }

        func cancel() { timer.cancel() }

        private func handle(_ name: String) {
            guard timer.takeExpired() else { return }
            done.append(name)
        }
    }

    @Test("A time that is replaced or ended is not handled, and the last one is handled once")
    func replaced() async throws {
        let clock = TestClock(
            ClockReading(
                systemTime: Timestamp(millisecondsSinceEpoch: 0), uptimeMilliseconds: 1000, isSystemTimeTrusted: true))
        let owner = Owner(clock)
        await owner.set(2000, "replaced by none")
        await owner.set(nil, "none")
        let isSetToNone = await owner.isSet
        #expect(!isSetToNone)
        await owner.set(2000, "ended")
        await owner.cancel()
        let isSetAfterEnd = await owner.isSet
        #expect(!isSetAfterEnd)
        // The same time again: an end forgets it.
        await owner.set(2000, "replaced")
        await owner.set(3000, "first")
        let isSet = await owner.isSet
        #expect(isSet)
        clock.advance(bySeconds: 2)
        #expect(try await eventually { await owner.done.isEmpty ? nil : true } == true)
        let isSetAfterTime = await owner.isSet
        #expect(!isSetAfterTime)
        // The time has passed.
        await owner.set(3000, "second")
        #expect(try await eventually { await owner.done.count < 2 ? nil : true } == true)
        let done = await owner.done
        #expect(done == ["first", "second"])
    }
}
