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

    @Test("While other messages arrive, such as geofences, a document may wait behind them")
    func flood() {
        var watch = RetainedCheck()
        watch.handleSubscribed(.all, bytes: 500, atUptimeMilliseconds: 0)
        #expect(watch.findMissing(bytes: 400_500, atUptimeMilliseconds: 10_000) == nil)
        #expect(watch.dueUptimeMilliseconds == 20_000)
        watch.handleReceived(.device, bytes: 700_000, atUptimeMilliseconds: 15_000)
        #expect(watch.findMissing(bytes: 720_000, atUptimeMilliseconds: 25_000) == nil)
        // Acknowledgements of positions arrive at any time.
        #expect(watch.findMissing(bytes: 728_192, atUptimeMilliseconds: 35_000) == [.all])
    }

    @Test("A backlog brings many acknowledgements for hours, and holds the check up for five minutes at most")
    func backlog() {
        var watch = RetainedCheck()
        watch.handleSubscribed(.all, bytes: 500, atUptimeMilliseconds: 1000)
        var ends: [Int64] = []
        for second in stride(from: Int64(11), through: 400, by: 10) {
            let missing = watch.findMissing(bytes: second * 10_000, atUptimeMilliseconds: second * 1000)
            if missing != nil { ends.append(second) }
        }
        #expect(ends.first == 301)
    }

    @Test("A level that the device joins later, or again, is checked anew")
    func joined() {
        var watch = RetainedCheck()
        watch.handleSubscribed(.all, atUptimeMilliseconds: 0)
        watch.handleSubscribed(.group("vans"), atUptimeMilliseconds: 0)
        watch.handleReceived(.group("vans"), atUptimeMilliseconds: 10)
        #expect(watch.findMissing(atUptimeMilliseconds: 20_000) == [.all])
        watch.forget([.group("vans")])
        #expect(watch.findMissing(atUptimeMilliseconds: 20_000) == [.all])
        watch.handleSubscribed(.group("vans"), atUptimeMilliseconds: 30_000)
        #expect(watch.dueUptimeMilliseconds == 40_000)
        #expect(watch.findMissing(atUptimeMilliseconds: 39_999) == nil)
        #expect(watch.findMissing(atUptimeMilliseconds: 40_000) == [.all, .group("vans")])
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
