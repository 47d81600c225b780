import Testing
import OdographWire

@testable import Odograph

@Suite("The check of retained documents")
struct RetainedCheckTests {
    @Test("A level has no document if nothing arrives within 10 s of its subscription")
    func silence() {
        var watch = RetainedCheck()
        #expect(watch.dueUptimeMilliseconds == nil)
        watch.handleSubscribed(.all, atUptimeMilliseconds: 1000)
        watch.handleSubscribed(.device, atUptimeMilliseconds: 1500)
        watch.handleReceived(.device, atUptimeMilliseconds: 2000)
        #expect(watch.dueUptimeMilliseconds == 12_000)
        var early = watch
        #expect(early.findMissing(atUptimeMilliseconds: 11_999) == nil)
        #expect(watch.findMissing(atUptimeMilliseconds: 12_000) == [.all])
        #expect(watch.dueUptimeMilliseconds == nil)
        // A late document still counts.
        watch.handleReceived(.all, atUptimeMilliseconds: 50_000)
        #expect(watch.findMissing(atUptimeMilliseconds: 50_000) == [])
    }

    @Test("A level with a refused subscription is unknown, not empty")
    func refused() {
        var watch = RetainedCheck()
        watch.handleSubscribed(.all, atUptimeMilliseconds: 0)
        #expect(watch.findMissing(atUptimeMilliseconds: 20_000) == [.all])
        watch.reset()
        #expect(watch.findMissing(atUptimeMilliseconds: 90_000) == nil)
    }
}
