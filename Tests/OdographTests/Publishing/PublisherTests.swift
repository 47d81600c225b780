import Logging
import OdographCivilTime
import OdographHarness
import OdographLink
import OdographModel
import OdographStore
import OdographWire
import Testing

@testable import Odograph

@Suite("The publisher's calls of the store")
struct PublisherTests {
    private struct Failure: Error {}

    @Test("A failure ends when every kind of call that failed has succeeded again")
    func storeFailed() async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let clock = TestClock(try ScheduleFixture.moment("2026-11-20T08:00:00Z"))
        let problems = ProblemRegistry(clock: clock)
        let session = MQTTSession(
            configuration: LinkConfiguration(host: "127.0.0.1", port: 1, transport: .plain, clientID: "a"),
            logger: logger)
        let publisher = Publisher(
            store: try await AgentStore.openInMemory(now: clock.now().systemTime).store, session: session, window: 10,
            address: try DeviceAddress(fleet: "acme", device: "van-7"), clock: clock, problems: problems, logger: logger
        )
        for (call, fails, isProblem) in [
            ("cannot read", true, true), ("cannot delete", true, true), ("cannot read", false, true),
            ("cannot delete", false, false), ("cannot read", false, false),
        ] {
            await publisher.attempt(call) { if fails { throw Failure() } }
            #expect(problems.current.contains { $0.code == .storeFailed } == isProblem, "\(call) \(fails)")
        }
    }
}
