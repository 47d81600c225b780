import Logging
import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographStore
import OdographWire
import Testing

@testable import Odograph
@testable import OdographLink

@Suite("The publisher and the topic numbers")
struct PublisherAnnouncementTests {
    private let folder: TemporaryFolder
    private let clock: TestClock
    private let store: AgentStore
    private let mailbox = Mailbox()
    private let publisher: Publisher

    init() async throws {
        folder = try TemporaryFolder()
        clock = TestClock(try ScheduleFixture.moment("2026-11-20T08:00:00Z"))
        store = try await AgentStore.open(at: folder.file("agent.db"), now: clock.now().systemTime).store
        publisher = try Self.publisher(of: store, mailbox: mailbox, clock)
    }

    private static func publisher(
        of store: AgentStore, mailbox: Mailbox, _ clock: TestClock
    ) throws -> Publisher {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return Publisher(
            store: store,
            client: MQTTClient(
                configuration: LinkConfiguration(host: "127.0.0.1", port: 1, transport: .plain, clientID: "a"),
                logger: logger, mailbox: mailbox),
            maximumInFlight: 10, address: try DeviceAddress(fleet: "acme", device: "van-7"), clock: clock,
            problems: ProblemRegistry(clock: clock), announcesNumbers: true, logger: logger)
    }

    private func connect() async {
        await publisher.handleConnected(
            ConnectionInfo(
                connectionNumber: 1, broker: "mqtt://127.0.0.1:1", protocolVersion: .v5, maximumQoS: 1,
                isSessionPresent: false))
    }

    /// Stores a record without passing it to the publisher.
    private func commit() async throws -> CommittedRecords { try await Self.commit(to: store, clock) }

    private static func commit(to store: AgentStore, _ clock: TestClock) async throws -> CommittedRecords {
        let now = clock.now().systemTime
        let record = PendingRecord(kind: .givenUp, timestamp: now) { identity in
            JSONCoder.payload(
                of: GivenUpMessage(
                    deviceID: "van-7",
                    givenUp: GivenUpRecord(
                        uuid: identity.uuid.description, epoch: identity.epoch, seq: identity.seq, timestamp: now,
                        ranges: [])))
        }
        let stored = try await store.commit([record], journal: [], now: now)
        return CommittedRecords(records: stored, capturedUptimeMilliseconds: [:])
    }

    /// Publishes what may be published, and returns the epochs and numbers of the records, and the announcements.
    private func published() async throws -> (records: [RecordKey], announcements: [NumbersMessage]) {
        await publisher.publishPending()
        let messages = mailbox.removeAll().outgoing
        let topic = publisher.numbersTopic
        return (
            try messages.filter { $0.topic != topic }.compactMap { message in
                let record = try JSONCoder.decode(GivenUpMessage.self, from: message.payload).givenUp
                return RecordKey(epoch: try #require(record.epoch), seq: try #require(record.seq))
            },
            try messages.filter { $0.topic == topic }.map { try NumbersMessage(message: $0.payload) }
        )
    }

    private func receive(_ message: NumbersMessage) async {
        await publisher.handleNumbers(JSONCoder.payload(of: message).bytes)
    }

    /// The announcement of another machine with a copy of the disk.
    private func foreign(_ message: NumbersMessage) -> NumbersMessage {
        var other = message
        other.id = "00000000000000ff"
        return other
    }

    @Test("Of two machines that announce the same numbers at once, the second one publishes with others")
    func overtaken() async throws {
        let epoch = store.epochIdentity.epoch
        for _ in 0..<3 { publisher.enqueueCommitted(try await commit()) }
        await connect()
        let first = try await published()
        let announcement = try #require(first.announcements.first)
        #expect(first.records.isEmpty && announcement.through >= 3)
        #expect(try await published().records.isEmpty)
        await receive(foreign(announcement))
        let renewed = try #require(try await published().announcements.first)
        #expect(renewed.epoch > epoch)
        // Its own first announcement comes back, too late.
        await receive(announcement)
        #expect(try await published().records.isEmpty)
        await receive(renewed)
        #expect(try await published().records == (1...3).map { RecordKey(epoch: renewed.epoch, seq: $0) })
    }

    @Test("An announcement that a lost connection has perhaps not delivered uses up no numbers")
    func cut() async throws {
        await connect()
        publisher.enqueueCommitted(try await commit())
        let announcement = try #require(try await published().announcements.first)
        await publisher.handleDisconnected(isByBroker: true)
        publisher.enqueueCommitted(try await commit())
        await connect()
        #expect(try await published().records.isEmpty)
        await receive(foreign(announcement))
        let renewed = try #require(try await published().announcements.first)
        await receive(renewed)
        #expect(try await published().records == (1...2).map { RecordKey(epoch: renewed.epoch, seq: $0) })
    }

    @Test("Records that can have been published keep their numbers when another machine uses them, too")
    func sent() async throws {
        let epoch = store.epochIdentity.epoch
        publisher.enqueueCommitted(try await commit())
        await connect()
        let announcement = try #require(try await published().announcements.first)
        await receive(announcement)
        #expect(try await published().records == [RecordKey(epoch: epoch, seq: 1)])
        await receive(foreign(announcement))
        #expect(store.epochIdentity.epoch > epoch)
        #expect(try await store.unacknowledged(limit: 9).map(\.key) == [RecordKey(epoch: epoch, seq: 1)])
    }

    @Test("A record from before the connection has no number that only an earlier run has announced")
    func restarted() async throws {
        publisher.enqueueCommitted(try await commit())
        await connect()
        let announcement = try #require(try await published().announcements.first)
        await receive(announcement)
        #expect(try await published().records.count == 1)
        try await store.close()

        let reopened = try await AgentStore.open(at: folder.file("agent.db"), now: clock.now().systemTime).store
        let later = try Self.publisher(of: reopened, mailbox: Mailbox(), clock)
        later.enqueueCommitted(try await Self.commit(to: reopened, clock))
        await later.publishPending()
        await later.handleConnected(
            ConnectionInfo(
                connectionNumber: 2, broker: "mqtt://127.0.0.1:1", protocolVersion: .v5, maximumQoS: 1,
                isSessionPresent: false))
        var other = foreign(announcement)
        other.through += 1
        await later.handleNumbers(JSONCoder.payload(of: other).bytes)
        #expect(reopened.epochIdentity.epoch > announcement.epoch)
        #expect(
            try await reopened.unacknowledged(limit: 9).map(\.key) == [
                RecordKey(epoch: announcement.epoch, seq: 1), RecordKey(epoch: reopened.epochIdentity.epoch, seq: 1),
            ])
    }

    @Test("A record that gets another number between its commit and its publication is published with this one only")
    func between() async throws {
        publisher.enqueueCommitted(try await commit())
        await connect()
        let announcement = try #require(try await published().announcements.first)
        publisher.enqueueCommitted(try await commit())
        #expect(try await published().records.isEmpty)
        let late = try await commit()
        await receive(foreign(announcement))
        publisher.enqueueCommitted(late)
        let renewed = try #require(try await published().announcements.first)
        await receive(renewed)
        #expect(try await published().records == (1...3).map { RecordKey(epoch: renewed.epoch, seq: $0) })
    }
}
