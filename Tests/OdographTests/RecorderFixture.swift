import CivilTime
import Harness
import Logging
import Positioning
import Store
import Tracking

@testable import Odograph

/// A recorder on a database in memory, by clocks that the test sets.
struct RecorderFixture {
    let store: AgentStore
    let clock: TestClock
    let recorder: Recorder

    init(
        _ tracking: String, at moment: Moment, store: AgentStore? = nil, boot: String? = nil,
        committed: @escaping @Sendable ([StoredRecord], Int64?) -> Void = { _, _ in }
    ) async throws {
        clock = TestClock(moment)
        self.store =
            if let store { store } else { try await AgentStore.openInMemory(now: moment.systemTime).store }
        recorder = Recorder(
            store: self.store, deviceID: "van-7", settings: try ScheduleFixture.settings(tracking), clock: clock,
            isTimeVirtual: false, boot: boot, problems: ProblemBoard(clock: clock), committed: committed,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        _ = await recorder.restore()
    }

    /// Drives on at 12 m/s, a position a second.
    func drive(seconds: Int, from second: Int, at start: String) async throws {
        for var fix in try ScheduleFixture.drive(from: start, seconds: seconds, atSecond: second) {
            clock.advance(bySeconds: 1)
            fix.timestamp = clock.now().systemTime
            fix.received = clock.now()
            await recorder.take(SourceEvent(.fix(fix), ordinal: 0))
        }
    }
}
