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

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static func publisher() async throws -> (Publisher, ProblemRegistry) {
        let clock = TestClock(try ScheduleFixture.moment("2026-11-20T08:00:00Z"))
        let problems = ProblemRegistry(clock: clock)
        let client = MQTTClient(
            configuration: LinkConfiguration(host: "127.0.0.1", port: 1, transport: .plain, clientID: "a"),
            logger: logger)
        let publisher = Publisher(
            store: try await AgentStore.openInMemory(now: clock.now().systemTime).store, client: client,
            maximumInFlight: 10,
            address: try DeviceAddress(fleet: "acme", device: "van-7"), clock: clock, problems: problems,
            announcesNumbers: true, logger: logger)
        return (publisher, problems)
    }

    @Test("A failure ends when every kind of call that failed has succeeded again")
    func storeFailed() async throws {
        let (publisher, problems) = try await Self.publisher()
        for (call, fails, isProblem) in [
            ("cannot read", true, true), ("cannot delete", true, true), ("cannot read", false, true),
            ("cannot delete", false, false), ("cannot read", false, false),
        ] {
            await publisher.attempt(call) { if fails { throw Failure() } }
            #expect(problems.current.contains { $0.code == .storeFailed } == isProblem, "\(call) \(fails)")
        }
    }

    @Test("The publisher does not settle a failure of the pipeline, and the pipeline none of the publisher")
    func owners() async throws {
        let (publisher, problems) = try await Self.publisher()
        let recording = RecordingProblems(registry: problems, logger: Self.logger)
        func texts() -> [String] { problems.current.filter { $0.code == .storeFailed }.map { "\($0.text.prefix(12))" } }
        recording.raiseStoreFailed(Failure(), waiting: 0, dropped: 0)
        await publisher.attempt("cannot read") { throw Failure() }
        #expect(texts() == ["cannot read:"])
        await publisher.attempt("cannot read") {}
        #expect(texts() == ["cannot store"])
        await publisher.attempt("cannot read") { throw Failure() }
        recording.clearStoreFailed()
        #expect(texts() == ["cannot read:"])
        await publisher.attempt("cannot read") {}
        #expect(texts() == [])
    }
}
