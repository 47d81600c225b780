import OdographHarness
import Testing

@testable import Odograph

@Suite("Waiting for a date")
struct UndatedFixTimerTests {
    @Test("The wait times out a minute after the first undated position, also if more follow")
    func patience() {
        var wait = UndatedFixTimer()
        #expect(!wait.hasTimedOut(uptimeMilliseconds: .max))
        for uptime in stride(from: Int64(1000), to: 61_000, by: 1000) {
            wait.startIfNeeded(uptimeMilliseconds: uptime)
            #expect(!wait.hasTimedOut(uptimeMilliseconds: uptime))
        }
        #expect(wait.hasTimedOut(uptimeMilliseconds: 61_000))
        wait.reset()
        wait.startIfNeeded(uptimeMilliseconds: 61_000)
        #expect(!wait.hasTimedOut(uptimeMilliseconds: 61_001))
    }

    @Test(
        "Undated positions are saved at once, then as often as they would be recorded and committed",
        arguments: [("{ sampling: { minimum_interval: 10 } }", 10_000), ("{ commit_interval: 60 }", 60_000)])
    func saving(tracking: String, milliseconds: Int64) throws {
        let settings = try ScheduleFixture.settings(tracking)
        var wait = UndatedFixTimer()
        #expect(wait.isSaveDue(uptimeMilliseconds: 5000, by: settings))
        wait.markSaved(uptimeMilliseconds: 5000)
        #expect(!wait.isSaveDue(uptimeMilliseconds: 4999 + milliseconds, by: settings))
        #expect(wait.isSaveDue(uptimeMilliseconds: 5000 + milliseconds, by: settings))
        wait.reset()
        #expect(wait.isSaveDue(uptimeMilliseconds: 5001, by: settings))
    }
}
