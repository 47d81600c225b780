import Harness
import Testing

@testable import Odograph

@Suite("Waiting for a date")
struct UndatedWaitTests {
    @Test("A minute after the first position that waits somebody should know, however many come")
    func patience() {
        var wait = UndatedWait()
        #expect(!wait.isLong(uptimeMilliseconds: .max))
        for uptime in stride(from: Int64(1000), to: 61_000, by: 1000) {
            wait.goOn(uptimeMilliseconds: uptime)
            #expect(!wait.isLong(uptimeMilliseconds: uptime))
        }
        #expect(wait.isLong(uptimeMilliseconds: 61_000))
        wait.end()
        wait.goOn(uptimeMilliseconds: 61_000)
        #expect(!wait.isLong(uptimeMilliseconds: 61_001))
    }

    @Test(
        "What waits is saved at once, then as often as it would be recorded and committed",
        arguments: [("{ sampling: { minimum_interval: 10 } }", 10_000), ("{ commit_interval: 60 }", 60_000)])
    func saving(tracking: String, milliseconds: Int64) throws {
        let settings = try ScheduleFixture.settings(tracking)
        var wait = UndatedWait()
        #expect(wait.isSaveDue(uptimeMilliseconds: 5000, by: settings))
        wait.saved(uptimeMilliseconds: 5000)
        #expect(!wait.isSaveDue(uptimeMilliseconds: 4999 + milliseconds, by: settings))
        #expect(wait.isSaveDue(uptimeMilliseconds: 5000 + milliseconds, by: settings))
        wait.end()
        #expect(wait.isSaveDue(uptimeMilliseconds: 5001, by: settings))
    }
}
