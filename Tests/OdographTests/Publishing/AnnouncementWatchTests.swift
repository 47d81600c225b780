import Testing

@testable import Odograph

@Suite("The wait of records for the topic numbers")
struct AnnouncementWatchTests {
    @Test("Records wait for the retained message for a bounded time, and a silent broker is not awaited again")
    func answer() {
        var watch = AnnouncementWatch(isSubscribed: true)
        watch.handleConnected(hasAnnounced: false, uptimeMilliseconds: 0)
        #expect(watch.dueUptimeMilliseconds == nil)
        watch.handleConnected(hasAnnounced: true, uptimeMilliseconds: 0)
        #expect(watch.dueUptimeMilliseconds == 5000)
        watch.handleSubscribed(isRefused: false, uptimeMilliseconds: 1000)
        #expect(watch.dueUptimeMilliseconds == 3000)
        let ends = [2999, 3000, 3001].map { watch.tick(uptimeMilliseconds: $0) }
        #expect(ends == [false, true, false])
        watch.handleDisconnected()
        watch.handleConnected(hasAnnounced: true, uptimeMilliseconds: 9000)
        #expect(watch.dueUptimeMilliseconds == nil)
    }

    /// Connects, announces, and ends after the announcement.
    private func endedConnection(_ watch: inout AnnouncementWatch, isAlone: Bool) -> Bool {
        watch.handleConnected(hasAnnounced: false, uptimeMilliseconds: 0)
        watch.handleAnnounced(uptimeMilliseconds: 0)
        let waits = watch.dueUptimeMilliseconds != nil
        watch.handleDisconnected(isAfterAnnouncement: true, isAlone: isAlone)
        return waits
    }

    @Test("An announcement is blamed only for ends without a record on the way")
    func blamed() {
        var watch = AnnouncementWatch(isSubscribed: true)
        // The first end can be the record's; from then on the records wait.
        let first = endedConnection(&watch, isAlone: false)
        #expect(!first)
        #expect(watch.ends == 0)
        for number in 1...3 {
            let waits = endedConnection(&watch, isAlone: true)
            #expect(waits && watch.ends == number)
        }
        watch.handleDisconnected()
        #expect(watch.ends == 0)
    }

    @Test("A connection that lasts after the announcement acquits it")
    func acquitted() {
        var watch = AnnouncementWatch(isSubscribed: true)
        let first = endedConnection(&watch, isAlone: false)
        #expect(!first)
        watch.handleConnected(hasAnnounced: false, uptimeMilliseconds: 10_000)
        watch.handleAnnounced(uptimeMilliseconds: 10_000)
        // The broker sends the announcement back to the subscriber.
        watch.handleMessage()
        #expect(watch.dueUptimeMilliseconds == 12_000)
        let isOver = watch.tick(uptimeMilliseconds: 12_000)
        #expect(isOver)
        watch.handleAnnounced(uptimeMilliseconds: 13_000)
        #expect(watch.dueUptimeMilliseconds == nil)
    }
}
