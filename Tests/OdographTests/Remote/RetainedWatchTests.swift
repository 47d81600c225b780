import Testing
import Wire

@testable import Odograph

@Suite("What the broker holds")
struct RetainedWatchTests {
    @Test("A level is silent when its subscription stands and nothing has come for ten seconds")
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
        // Late, but not never.
        watch.handleReceived(.all, atUptimeMilliseconds: 50_000)
        #expect(watch.findMissing(atUptimeMilliseconds: 50_000) == [])
    }

    @Test("A level that the broker does not let the device listen to is not silent, it is not known of")
    func refused() {
        var watch = RetainedCheck()
        watch.handleSubscribed(.all, atUptimeMilliseconds: 0)
        #expect(watch.findMissing(atUptimeMilliseconds: 20_000) == [.all])
        watch.reset()
        #expect(watch.findMissing(atUptimeMilliseconds: 90_000) == nil)
    }
}
