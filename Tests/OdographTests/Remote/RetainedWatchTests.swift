import Testing
import Wire

@testable import Odograph

@Suite("What the broker holds")
struct RetainedWatchTests {
    @Test("A level is silent when its subscription stands and nothing has come for ten seconds")
    func silence() {
        var watch = RetainedWatch()
        #expect(watch.dueUptimeMilliseconds == nil)
        watch.granted(.all, atUptimeMilliseconds: 1000)
        watch.granted(.device, atUptimeMilliseconds: 1500)
        watch.heard(.device, atUptimeMilliseconds: 2000)
        #expect(watch.dueUptimeMilliseconds == 12_000)
        var early = watch
        #expect(early.silent(atUptimeMilliseconds: 11_999) == nil)
        #expect(watch.silent(atUptimeMilliseconds: 12_000) == [.all])
        #expect(watch.dueUptimeMilliseconds == nil)
        // Late, but not never.
        watch.heard(.all, atUptimeMilliseconds: 50_000)
        #expect(watch.silent(atUptimeMilliseconds: 50_000) == [])
    }

    @Test("A level that the broker does not let the device listen to is not silent, it is not known of")
    func refused() {
        var watch = RetainedWatch()
        watch.granted(.all, atUptimeMilliseconds: 0)
        #expect(watch.silent(atUptimeMilliseconds: 20_000) == [.all])
        watch.reset()
        #expect(watch.silent(atUptimeMilliseconds: 90_000) == nil)
    }
}
