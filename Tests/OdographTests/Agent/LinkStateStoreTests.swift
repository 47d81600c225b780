import Logging
import OdographCivilTime
import OdographHarness
import OdographStore
import Testing

@testable import Odograph
@testable import OdographLink

@Suite("The saved state of the link")
struct LinkStateStoreTests {
    private let clock: TestClock
    private let store: AgentStore
    private let memory: KeepAliveMemory

    init() async throws {
        clock = TestClock(try ScheduleFixture.moment("2026-11-20T08:00:00Z"))
        store = try await AgentStore.openInMemory(now: clock.now().systemTime).store
        var memory = KeepAliveMemory()
        memory.provenMilliseconds = 558_000
        memory.failedMilliseconds = 617_000
        memory.answers = 50
        self.memory = memory
    }

    private func open(_ broker: String = "mqtts://broker.example") async throws -> LinkStateStore {
        await LinkStateStore(
            store: store, broker: try BrokerURL(broker), clock: clock, problems: ProblemRegistry(clock: clock),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("What the link has learned about the keep-alive interval is there after a restart, for 30 days")
    func keepAlive() async throws {
        let first = try await open()
        #expect(await first.keepAlive == nil)
        await first.recordKeepAlive(memory)
        clock.advance(bySeconds: 30 * 86_400)
        let second = try await open()
        #expect(await second.keepAlive == memory)
        clock.advance(bySeconds: 1)
        let third = try await open()
        #expect(await third.keepAlive == nil)
    }

    @Test("Another broker is another network, and a wrong clock does not discard the interval")
    func scope() async throws {
        let first = try await open()
        await first.recordKeepAlive(memory)
        let other = try await open("mqtts://broker.example:443")
        #expect(await other.keepAlive == nil)
        clock.set(Timestamp(millisecondsSinceEpoch: 0))
        let early = try await open()
        #expect(await early.keepAlive == memory)
    }

    @Test("That the first broker has accepted MQTT 5 is there after a restart, and not for another broker")
    func version() async throws {
        func connection(_ broker: String, _ version: MQTTVersion) -> ConnectionInfo {
            ConnectionInfo(
                connectionNumber: 1, broker: broker, protocolVersion: version, maximumQoS: 2, isSessionPresent: false)
        }
        let (first, second) = ("mqtts://broker.example:8883", "mqtts://other.example:8883")
        for (broker, version, isKnown) in [(first, MQTTVersion.v311, false), (second, .v5, false), (first, .v5, true)] {
            let store = try await open(first)
            await store.recordConnection(connection(broker, version))
            #expect(await store.hasSpokenVersion5 == isKnown)
            #expect(try await open(first).hasSpokenVersion5 == isKnown)
            #expect(try await open(second).hasSpokenVersion5 == false)
        }
        let store = try await open(first)
        await store.recordConnection(connection(first, .v311))
        #expect(try await open(first).hasSpokenVersion5)
    }
}
