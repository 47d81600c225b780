import Logging
import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographStore
import OdographWire
import Testing

@testable import Odograph
@testable import OdographLink

@Suite("The publisher with delivery by receipts")
struct PublisherReceiptTests {
    private let clock: TestClock
    private let problems: ProblemRegistry
    private let store: AgentStore
    private let publisher: Publisher

    init() async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        clock = TestClock(try ScheduleFixture.moment("2026-11-20T08:00:00Z"))
        problems = ProblemRegistry(clock: clock)
        store = try await AgentStore.openInMemory(now: clock.now().systemTime).store
        publisher = Publisher(
            store: store,
            client: MQTTClient(
                configuration: LinkConfiguration(host: "127.0.0.1", port: 1, transport: .plain, clientID: "a"),
                logger: logger), maximumInFlight: 10, address: try DeviceAddress(fleet: "acme", device: "van-7"),
            clock: clock,
            problems: problems, announcesNumbers: false, logger: logger)
    }

    private func connect(_ mode: DeliverySettings.Mode) async throws {
        var settings = DeliverySettings()
        settings.mode = mode
        settings.keepSeconds = 0
        await publisher.updateDelivery(settings)
        await publisher.handleConnected(
            ConnectionInfo(
                connectionNumber: 1, broker: "mqtt://127.0.0.1:1", protocolVersion: .v5, maximumQoS: 1,
                isSessionPresent: false))
        // Retained receipts are awaited for 10 s.
        clock.advance(bySeconds: 11)
    }

    /// Commits records, and acknowledges them as the broker does. The first message has token 1.
    private func commit(_ tokens: ClosedRange<UInt64>) async throws {
        let pending = tokens.map { _ in
            PendingRecord(kind: .location, timestamp: clock.now().systemTime) { _ in RecordPayload(first: 1, rest: []) }
        }
        _ = try await store.commit(pending, journal: [], now: clock.now().systemTime)
        await publisher.rewindBacklog()
        await publisher.publishPending()
        await publisher.handleAcknowledged(Array(tokens))
    }

    private func receive(_ revision: Int64, through: Int64, safe: Int64) async throws {
        let receipt = Receipt(
            databaseID: "db", revision: revision, interval: 600,
            epochs: [Receipt.Epoch(epoch: store.epochIdentity.epoch, through: through, safe: safe)])
        await publisher.handleReceipt(try JSONCoder.bytes(of: receipt), of: "main")
    }

    @Test("An acknowledgement of the broker deletes a record only with delivery to the broker")
    func acknowledged() async throws {
        try await connect(.broker)
        try await commit(1...3)
        #expect(try await store.unacknowledged(limit: 9).isEmpty)
        await #expect(publisher.reportedReceipts == nil)
        try await store.flushAcknowledgements()
        try await connect(.receipt)
        try await commit(4...6)
        #expect(try await store.unacknowledged(limit: 9).count == 3)
        clock.advance(bySeconds: 1)
        try await receive(1, through: 6, safe: 5)
        // The newest row stays, because its number is the last one.
        #expect(try await store.unacknowledged(limit: 9).map(\.seq) == [6])
        #expect(try await store.statistics().depth == 0)
        await #expect(publisher.reportedReceipts?.map(\.revision) == [1])
        for payload in ["", "{", "{\"database_id\":\"a\",\"revision\":9,\"interval\":0,\"epochs\":[]}"] {
            await publisher.handleReceipt(Array(payload.utf8), of: "main")
        }
        await #expect(publisher.reportedReceipts?.map(\.revision) == [1])
    }

    @Test("After a restart without a recorder, only the records that the broker has not acknowledged are sent")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        func open() async throws -> (AgentStore, Publisher) {
            let store = try await AgentStore.open(at: folder.file("agent.db"), now: clock.now().systemTime).store
            let client = MQTTClient(
                configuration: LinkConfiguration(host: "127.0.0.1", port: 1, transport: .plain, clientID: "a"),
                logger: logger)
            let publisher = Publisher(
                store: store, client: client, maximumInFlight: 10,
                address: try DeviceAddress(fleet: "acme", device: "van-7"),
                clock: clock, problems: problems, announcesNumbers: false, logger: logger)
            var settings = DeliverySettings()
            settings.mode = .receipt
            await publisher.updateDelivery(settings)
            return (store, publisher)
        }
        func wanted(_ publisher: Publisher) async throws -> [Int64] {
            let delivery = try #require(await publisher.delivery)
            return try await publisher.readWanted(
                PublishFlowControl.BacklogRequest(after: nil, limit: 1000, maximumBytes: 1_000_000), delivery
            ).map(\.seq)
        }
        var (store, publisher) = try await open()
        let pending = (1...103).map { _ in
            PendingRecord(kind: .location, timestamp: clock.now().systemTime) { _ in RecordPayload(first: 1, rest: []) }
        }
        _ = try await store.commit(pending, journal: [], now: clock.now().systemTime)
        #expect(try await wanted(publisher).count == 103)
        try await store.notePublished((1...100).map { RecordKey(epoch: store.epochIdentity.epoch, seq: $0) })
        try await store.close()
        (store, publisher) = try await open()
        #expect(try await wanted(publisher) == [101, 102, 103])
        try await store.close()
    }

    @Test("A receipt is overdue after an hour in which records wait for it")
    func overdue() async throws {
        func isOverdue() -> Bool { problems.current.contains { $0.code == .receiptOverdue } }
        try await connect(.receipt)
        clock.advance(bySeconds: 7200)
        try await commit(1...2)
        #expect(!isOverdue())
        clock.advance(bySeconds: 3601)
        #expect(try await eventually { isOverdue() ? true : nil } != nil)
        try await receive(1, through: 1, safe: 1)
        #expect(!isOverdue())
    }

    @Test("A receipt with a number that this agent has not reserved begins a new epoch and is reported")
    func foreign() async throws {
        try await connect(.receipt)
        try await commit(1...2)
        let former = store.epochIdentity.epoch
        try await receive(1, through: 5000, safe: 0)
        #expect(store.epochIdentity.epoch > former)
        #expect(problems.current.contains { $0.code == .storeInconsistent })
        #expect(try await store.unacknowledged(limit: 9).contains { $0.key == RecordKey(epoch: former, seq: 2) })
    }

    private static let location = """
        {"device_id":"van-7","location":{"uuid":"46b165f0-9c1e-8a3d-b0c5-0f2f6f0a9d11","epoch":1,"seq":1,\
        "timestamp":"2026-11-20T08:00:00.000Z","age":0,"is_moving":true,"sample":false,"mock":false,"odometer":1,\
        "odometer_error":0,"coords":{"latitude":40.4,"longitude":-3.7,"accuracy":4,"speed":9,\
        "heading":90},"activity":{"type":"still","confidence":96}}}
        """

    /// This publisher does not use the topic `numbers`.
    @Test("Without announcements, too, only records that cannot have been published get numbers of a new epoch")
    func foreignWithoutTopic() async throws {
        try await connect(.receipt)
        let pending = (1...25).map { _ in
            PendingRecord(kind: .location, timestamp: clock.now().systemTime) { _ in
                RecordPayload(first: UInt8(ascii: "{"), rest: Array(Self.location.utf8.dropFirst()))
            }
        }
        _ = try await store.commit(pending, journal: [], now: clock.now().systemTime)
        await publisher.rewindBacklog()
        await publisher.publishPending()
        let former = store.epochIdentity.epoch
        let stored = try #require(try await store.unacknowledged(limit: 1).first)
        let other = RecordIdentity(epoch: 9, seq: 9, uuid: RecordUUID(high: 1, low: 2))
        #expect(RecordMessage.payload(of: stored, renumbered: other) != nil)
        try await receive(1, through: 5000, safe: 0)
        #expect(store.epochIdentity.epoch > former)
        let kept = try await store.unacknowledged(limit: 99).filter { $0.kind == .location }
        #expect(kept.map(\.key) == (1...25).map { RecordKey(epoch: former, seq: $0) })
    }

    @Test("A receipt with an epoch that this agent does not know is reported, and is otherwise ignored")
    func unknownEpoch() async throws {
        try await connect(.receipt)
        try await commit(1...2)
        clock.advance(bySeconds: 1)
        let epoch = store.epochIdentity.epoch
        let receipt = Receipt(
            databaseID: "db", revision: 1, interval: 600,
            epochs: [Receipt.Epoch(epoch: 77, through: 9, safe: 9), Receipt.Epoch(epoch: epoch, through: 2, safe: 2)])
        await publisher.handleReceipt(try JSONCoder.bytes(of: receipt), of: "main")
        let problem = try #require(problems.current.first)
        #expect(problem.code == .storeInconsistent && problem.text.contains("epoch 77"), "\(problem.text)")
        #expect(store.epochIdentity.epoch == epoch)
        #expect(try await store.unacknowledged(limit: 9).map(\.seq) == [2])
    }
}
