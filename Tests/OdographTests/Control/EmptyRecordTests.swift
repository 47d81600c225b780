import OdographCivilTime
import OdographHarness
import OdographLink
import Logging
import OdographModel
import OdographPositioning
import OdographSQLite
import Testing
import OdographThreads
import OdographWire

@testable import Odograph
@testable import OdographOperator
@testable import OdographStore

/// Checks of empty records. Earlier versions stored an empty record when a number could not be encoded.
@Suite("A database with empty records")
struct EmptyRecordTests {
    private static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Returns a configuration whose database contains a drive. Every third record and the newest record are empty.
    private static func configuration(in folder: TemporaryFolder, port: UInt16 = 1) async throws -> AgentConfiguration {
        let text = """
            { fleet: "acme", device: "van-7", broker: { url: "mqtt://127.0.0.1:\(port)" },
              source: { gpsd: { port: \(try FreePort.next()) } }, store: { path: "agent.db" } }
            """
        let configuration = try ConfigurationFile.parse(text, folder: folder.path)
        let moment = try ScheduleFixture.moment("2026-11-20T08:00:00.000Z")
        let store = try await AgentStore.open(at: configuration.store.path, now: moment.systemTime).store
        let fixture = try await RecorderFixture("{}", at: moment, store: store)
        try await fixture.drive(seconds: 300, from: 0, at: "2026-11-20T08:00:00.000Z")
        await fixture.recorder.stop()
        let newest = try await store.statistics().newestSeq
        try await store.close()
        let connection = try SQLiteConnection(path: configuration.store.path)
        try connection.execute(
            "UPDATE outbox SET payload = x'00', checksum = x'' WHERE seq % 3 = 0 OR seq = \(newest)")
        return configuration
    }

    @Test("Status, locations and timeline can be read")
    func queries() async throws {
        let folder = try TemporaryFolder()
        let configuration = try await Self.configuration(in: folder)
        let agent = LocalAgent(configuration: configuration, socketPath: nil)
        guard case .stopped(let status) = try await agent.status() else { throw HarnessError("an agent runs") }
        #expect(status.odometer ?? 0 > 3000)
        #expect(status.location != nil)
        let locations = try await agent.locations(from: nil, to: nil, limit: 10_000)
        #expect(locations.count > 3)
    }

    @Test("Empty records are removed without being published, and the others are published", .timeLimit(.minutes(5)))
    func publishing() async throws {
        let folder = try TemporaryFolder()
        let broker = try await MosquittoBroker()
        let configuration = try await Self.configuration(in: folder, port: broker.port)
        let consumer = MQTTSession(
            configuration: LinkConfiguration(
                host: "127.0.0.1", port: broker.port, transport: .plain, clientID: "consumer"), logger: Self.silent)
        let payloads = Lock<[[UInt8]]>([])
        let isListening = Lock(false)
        let reading = Task {
            for await event in consumer.events {
                if case .subscribed = event { isListening.withLock { $0 = true } }
                if case .message(let message) = event { payloads.withLock { $0.append(message.payload) } }
            }
        }
        consumer.subscribe(["fleet/acme/van-7/#"])
        consumer.start()
        #expect(try await eventually { isListening.withLock { $0 } ? true : nil } == true)
        let agent = Agent(configuration: configuration, logger: Self.silent)
        try await agent.start()
        let store = try #require(await agent.parts).store
        #expect(try await eventually { try await store.statistics().depth == 0 ? true : nil } == true)
        await agent.stop()
        // The message about the stop comes after all others.
        let isLast = try await eventually {
            payloads.withLock { $0.last.map { String(decoding: $0, as: UTF8.self).contains("stopped") } } == true
                ? true : nil
        }
        #expect(isLast == true)
        #expect(payloads.withLock { $0.count } > 3)
        #expect(payloads.withLock { !$0.contains([]) })
        await consumer.stop()
        await reading.value
    }
}
