import Testing

@testable import Odograph

/// Times are in minutes of the connection; the watch takes milliseconds.
@Suite("The watch for overdue receipts")
struct ReceiptWatchTests {
    private func milliseconds(_ minutes: Int64) -> Int64 { minutes * 60_000 }

    private func overdue(_ watch: ReceiptWatch, atMinute minute: Int64) -> [String] {
        watch.overdue(of: ["main", "second"], uptimeMilliseconds: milliseconds(minute))
    }

    @Test("Only the time with a connection counts, over many short connections")
    func shortConnections() {
        var watch = ReceiptWatch()
        // Seven connections of ten minutes, one in each hour.
        for hour in Int64(0)..<7 {
            watch.handleConnected(uptimeMilliseconds: milliseconds(hour * 60))
            watch.handleAcknowledged(uptimeMilliseconds: milliseconds(hour * 60))
            #expect(overdue(watch, atMinute: hour * 60 + 9) == (hour < 6 ? [] : ["main", "second"]))
            watch.handleDisconnected(uptimeMilliseconds: milliseconds(hour * 60 + 10))
            #expect(overdue(watch, atMinute: hour * 60 + 59).isEmpty)
        }
    }

    @Test("Each recorder has its own hour, which begins with its receipt")
    func hours() {
        var watch = ReceiptWatch()
        watch.handleConnected(uptimeMilliseconds: 0)
        watch.handleAcknowledged(uptimeMilliseconds: milliseconds(1))
        watch.handleReceipt(of: "main", isWaiting: true, uptimeMilliseconds: milliseconds(30))
        #expect(overdue(watch, atMinute: 60).isEmpty)
        #expect(overdue(watch, atMinute: 61) == ["second"])
        #expect(overdue(watch, atMinute: 90) == ["main", "second"])
    }

    @Test("Without a record that waits, no receipt is overdue")
    func nothingWaits() {
        var watch = ReceiptWatch()
        watch.handleConnected(uptimeMilliseconds: 0)
        #expect(overdue(watch, atMinute: 600).isEmpty)
        watch.handleAcknowledged(uptimeMilliseconds: milliseconds(600))
        watch.handleReceipt(of: "main", isWaiting: false, uptimeMilliseconds: milliseconds(601))
        #expect(overdue(watch, atMinute: 1200).isEmpty)
    }
}
