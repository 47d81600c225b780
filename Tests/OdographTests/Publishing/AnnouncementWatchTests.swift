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
        watch.handleAnnounced(uptimeMilliseconds: 3000)
        #expect(watch.dueUptimeMilliseconds == nil)
        watch.handleDisconnected()
        watch.handleConnected(hasAnnounced: true, uptimeMilliseconds: 9000)
        #expect(watch.dueUptimeMilliseconds == nil)
    }

    @Test("Records wait until the broker has sent the agent's own announcement back, at most for a time")
    func own() {
        var watch = AnnouncementWatch(isSubscribed: true)
        watch.handleConnected(hasAnnounced: false, uptimeMilliseconds: 0)
        watch.handleAnnounced(uptimeMilliseconds: 100)
        #expect(watch.dueUptimeMilliseconds == 5100)
        // What the broker has retained before comes first.
        watch.handleSubscribed(isRefused: false, uptimeMilliseconds: 200)
        watch.handleMessage(isOwn: false)
        #expect(watch.dueUptimeMilliseconds == 5100)
        watch.handleMessage(isOwn: true)
        #expect(watch.dueUptimeMilliseconds == nil)
        // A broker that has answered is awaited longer: the link can be slow for a while.
        watch.handleAnnounced(uptimeMilliseconds: 10_000)
        #expect(watch.dueUptimeMilliseconds == 70_000)
        watch.handleNewEpoch()
        #expect(watch.dueUptimeMilliseconds == nil)
        watch.handleAnnounced(uptimeMilliseconds: 20_000)
        let isOver = watch.tick(uptimeMilliseconds: 80_000)
        #expect(isOver)
        watch.handleAnnounced(uptimeMilliseconds: 90_000)
        #expect(watch.dueUptimeMilliseconds == nil)
    }

    @Test("Without a permission to read the topic, records wait for nothing")
    func refused() {
        var watch = AnnouncementWatch(isSubscribed: true)
        watch.handleConnected(hasAnnounced: false, uptimeMilliseconds: 0)
        watch.handleAnnounced(uptimeMilliseconds: 0)
        watch.handleSubscribed(isRefused: true, uptimeMilliseconds: 50)
        #expect(watch.dueUptimeMilliseconds == nil)
        watch.handleAnnounced(uptimeMilliseconds: 60)
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

    @Test("An announcement is blamed only for ends without a record on the way", arguments: [true, false])
    func blamed(isRead: Bool) {
        var watch = AnnouncementWatch(isSubscribed: isRead)
        // Without an answer of the broker the first end can be the record's; from then on the records wait.
        let first = endedConnection(&watch, isAlone: isRead)
        #expect(first == isRead)
        #expect(watch.ends == (isRead ? 1 : 0))
        for number in 1...2 {
            let waits = endedConnection(&watch, isAlone: true)
            #expect(waits && watch.ends == number + (isRead ? 1 : 0))
        }
        watch.handleDisconnected()
        #expect(watch.ends == 0)
    }

    @Test("A connection that lasts after the announcement acquits it", arguments: [true, false])
    func acquitted(isRead: Bool) {
        var watch = AnnouncementWatch(isSubscribed: isRead)
        _ = endedConnection(&watch, isAlone: true)
        watch.handleConnected(hasAnnounced: false, uptimeMilliseconds: 10_000)
        watch.handleAnnounced(uptimeMilliseconds: 10_000)
        #expect(watch.dueUptimeMilliseconds == (isRead ? 15_000 : 12_000))
        if isRead {
            watch.handleMessage(isOwn: true)
        } else {
            let isOver = watch.tick(uptimeMilliseconds: 12_000)
            #expect(isOver)
        }
        #expect(watch.dueUptimeMilliseconds == nil && watch.ends == 0)
        let waits = endedConnection(&watch, isAlone: false)
        #expect(waits == isRead)
    }
}
