import Logging
import OdographCivilTime
import OdographHarness
import OdographModel
import OdographStore
import OdographWire
import Testing

@testable import Odograph
@testable import OdographLink

@Suite("The publisher's calls of the store")
struct PublisherTests {
    private struct Failure: Error {}

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static func publisher(announcesNumbers: Bool = true) async throws -> (Publisher, ProblemRegistry) {
        let clock = TestClock(try ScheduleFixture.moment("2026-11-20T08:00:00Z"))
        let problems = ProblemRegistry(clock: clock)
        let client = MQTTClient(
            configuration: LinkConfiguration(host: "127.0.0.1", port: 1, transport: .plain, clientID: "a"),
            logger: logger)
        let publisher = Publisher(
            store: try await AgentStore.openInMemory(now: clock.now().systemTime).store, client: client,
            maximumInFlight: 10,
            address: try DeviceAddress(fleet: "acme", device: "van-7"), clock: clock, problems: problems,
            announcesNumbers: announcesNumbers, logger: logger)
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

    @Test("Records behind as many refused ones as may be in flight are sent, although nothing new is recorded")
    func behindRefused() async throws {
        let (publisher, _) = try await Self.publisher(announcesNumbers: false)
        let store = await publisher.store
        let now = try ScheduleFixture.moment("2026-11-20T08:00:00Z").systemTime
        let records = (1...11).map { number in
            PendingRecord(kind: number < 11 ? .location : .timeline, timestamp: now) { _ in
                RecordPayload(first: 1, rest: [])
            }
        }
        _ = try await store.commit(records, journal: [], now: now)
        await publisher.handleConnected(
            ConnectionInfo(
                connectionNumber: 1, broker: "mqtt://127.0.0.1:1", protocolVersion: .v5, maximumQoS: 1,
                isSessionPresent: false))
        let running = Task { await publisher.run() }
        defer { running.cancel() }
        let isDelivered = try await eventually {
            // Tokens that the publisher has not given yet are ignored.
            for token in UInt64(1)...10 {
                await publisher.handleRefused(token: token, reason: .notAuthorized, text: "")
            }
            await publisher.handleAcknowledged([11])
            return try await store.unacknowledged(limit: 20).contains { $0.kind == .timeline } ? nil : true
        }
        #expect(isDelivered != nil)
        #expect(try await store.unacknowledged(limit: 20).count == 10)
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
