import Glibc
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Receipts and a real broker")
struct ReceiptServiceTests {
    private static func text(_ payload: [UInt8]) -> String { String(decoding: payload, as: UTF8.self) }

    private func publish(_ payload: [UInt8], to channel: String, _ desk: BrokerOperator, isRetained: Bool = true)
        async throws
    {
        try await desk.publish(Self.text(payload), to: van + channel, isRetained: isRetained)
    }

    private static func receipt(database: String, revision: Int64) throws -> [UInt8] {
        try JSONCoder.bytes(of: Receipt(databaseID: database, revision: revision, interval: 600, epochs: []))
    }

    /// Starts a broker, and a listener that has subscribed to the receipts.
    private static func scene() async throws -> (MosquittoBroker, BrokerOperator, ReceiptListener) {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let listener = try ReceiptListener(port: broker.port)
        try await listener.waitForSubscription(desk)
        return (broker, desk, listener)
    }

    @Test("It publishes a receipt after the start, after records, after a deletion, and after a broker without memory")
    func receipts() async throws {
        let (broker, desk, listener) = try await Self.scene()
        let service = try RecorderService(broker: broker.port, keys: "receipt_interval: 1")
        try await publish(Payloads.reported([], receipts: []), to: "reported", desk)
        // A vehicle that reads none gets none.
        try await desk.publish(Self.text(Payloads.reported([])), to: "fleet/acme/van-8/reported")
        try await service.start()
        let first = try await listener.receipt()
        #expect(first.epochs.isEmpty && first.interval == 1 && first.revision > 1_700_000_000_000)
        for number: Int64 in [1, 2, 4] {
            try await publish(Payloads.location(number), to: "location/backlog", desk, isRetained: false)
        }
        let full = try await listener.receipt { $0.epochs.first?.through == 4 }
        #expect(full.epochs == [Receipt.Epoch(epoch: 7, through: 4, missing: [3...3], safe: 2)])
        #expect(full.databaseID == first.databaseID && full.revision > first.revision)
        let revisions = try listener.receipts().map(\.revision)
        #expect(revisions == revisions.sorted() && Set(revisions).count == revisions.count)

        let count = try listener.receipts().count
        try await desk.publish("", to: van + "receipt/main")
        let again = try await listener.receipt(after: count)
        #expect(again.epochs == full.epochs && again.revision > full.revision)

        try await broker.stop()
        try await broker.start()
        // The recorder is connected again, and the broker has no retained receipt.
        try await publish(Payloads.reported([], receipts: []), to: "reported", desk)
        let late = try ReceiptListener(port: broker.port)
        let after = try await late.receipt()
        #expect(after.epochs == full.epochs && after.revision > again.revision)
        #expect(try late.receipts(on: "fleet/acme/van-8/receipt/main").isEmpty)
        try await service.stop()
    }

    @Test("A new database says that it has nothing, also to a vehicle of which only the former receipt is left")
    func newDatabase() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let far = try JSONCoder.bytes(
            of: Receipt(
                databaseID: "former", revision: 1 << 50, interval: 600,
                epochs: [Receipt.Epoch(epoch: 7, through: 9, safe: 9)]))
        try await publish(far, to: "receipt/main", desk)
        let listener = try ReceiptListener(port: broker.port)
        _ = try await listener.receipt()
        let service = try RecorderService(broker: broker.port)
        try await service.start()
        let own = try await listener.receipt(after: 1)
        #expect(own.epochs.isEmpty && own.databaseID != "former" && own.revision == 1 << 50 + 1)
        try await service.stop()
    }

    @Test("It ends with an error if another database publishes under its name while it runs")
    func shared() async throws {
        let (broker, desk, listener) = try await Self.scene()
        let first = try RecorderService(broker: broker.port, keys: "receipt_interval: 1")
        let second = try RecorderService(broker: broker.port, keys: "receipt_interval: 1", client: "second")
        try await publish(Payloads.reported([], receipts: []), to: "reported", desk)
        try await first.start()
        let own = try await listener.receipt()
        try await second.start()
        let other = try await listener.receipt { $0.databaseID != own.databaseID }
        await #expect(
            throws: DatabaseFailure.receiptsShared(
                path: first.file.path, topic: van + "receipt/main", databaseID: other.databaseID)
        ) { try await first.ending() }
        #expect(first.log.lines.count { $0.contains("the recorder ends") } == 1, "\(first.log.lines)")
        try await second.stop()
    }

    @Test("With required backups a record is safe after the backup, which the running recorder notices")
    func backup() async throws {
        let (broker, desk, listener) = try await Self.scene()
        let service = try RecorderService(broker: broker.port, keys: "receipt_interval: 1, backup: { required: true }")
        try await publish(Payloads.reported([], receipts: []), to: "reported", desk)
        try await publish(Payloads.location(1), to: "location", desk)
        try await service.start()
        #expect(try await listener.receipt { $0.epochs.first?.through == 1 }.epochs.first?.safe == 0)
        let copy = service.file.path + ".copy"
        try RecorderBackup.make(of: service.location, at: copy)
        _ = try await listener.receipt { $0.epochs.first?.safe == 1 }
        try await service.stop()
    }

    @Test("With PostgreSQL a record is safe after a dump, and a restored dump asks for what came after it")
    func serverBackup() async throws {
        let (broker, desk, listener) = try await Self.scene()
        let server = try await PostgreSQLServer()
        let service = try RecorderService(
            broker: broker.port, server: server.address(), keys: "receipt_interval: 1, backup: { required: true }")
        try await publish(Payloads.reported([], receipts: []), to: "reported", desk)
        try await publish(Payloads.location(1), to: "location", desk)
        try await service.start()
        #expect(try await listener.receipt { $0.epochs.first?.through == 1 }.epochs.first?.safe == 0)
        let folder = try TemporaryFolder()
        let copy = folder.file("dump")
        try RecorderBackup.make(of: service.location, at: copy)
        _ = try await listener.receipt { $0.epochs.first?.safe == 1 }
        // Not retained, so that it does not come again.
        try await publish(Payloads.location(2), to: "location/backlog", desk, isRetained: false)
        let full = try await listener.receipt { $0.epochs.first?.through == 2 }
        #expect(full.epochs.first?.safe == 1)
        try await service.stop()
        _ = try service.serverRows("DROP SCHEMA odograph CASCADE")
        let ran = try await ChildProcess.run(
            "pg_restore", ["--exit-on-error", "--dbname=" + server.address(), copy])
        #expect(ran.ending == .exited(0), "\(ran.errors)")
        try await service.start()
        let restored = try await listener.receipt { $0.revision > full.revision }
        #expect(restored.epochs == [Receipt.Epoch(epoch: 7, through: 1, safe: 0)])
        #expect(restored.databaseID == full.databaseID)
        try await service.stop()
    }

    @Test("A restored database publishes a receipt with a greater revision and less contents")
    func restored() async throws {
        let (broker, desk, listener) = try await Self.scene()
        let service = try RecorderService(broker: broker.port, keys: "receipt_interval: 1")
        try await publish(Payloads.reported([], receipts: []), to: "reported", desk)
        try await service.start()
        try await publish(Payloads.location(1), to: "location", desk)
        _ = try await listener.receipt { $0.epochs.first?.through == 1 }
        let copy = service.file.path + ".copy"
        try RecorderBackup.make(of: service.location, at: copy)
        // Not retained, so that it does not come again.
        try await publish(Payloads.location(2), to: "location/backlog", desk, isRetained: false)
        let full = try await listener.receipt { $0.epochs.first?.through == 2 }
        try await service.stop()
        for suffix in ["", "-wal", "-shm"] { unlink(service.file.path + suffix) }
        #expect(rename(copy, service.file.path) == 0)
        try await service.start()
        let restored = try await listener.receipt { $0.revision > full.revision }
        #expect(restored.epochs == [Receipt.Epoch(epoch: 7, through: 1, safe: 1)])
        #expect(restored.databaseID == full.databaseID)
        try await service.stop()
    }

    @Test("It says that the broker refuses receipts, and goes on recording")
    func refused() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "topic read #\ntopic write fleet/acme/+/reported\ntopic write fleet/acme/+/location\n", to: "acl")
        let broker = try await MosquittoBroker(configuration: "acl_file \(folder.file("acl"))")
        let desk = BrokerOperator(port: broker.port)
        let service = try RecorderService(broker: broker.port)
        try await publish(Payloads.reported([], receipts: []), to: "reported", desk)
        try await service.start()
        let isSaid = try await eventually {
            service.log.lines.contains { $0.contains("refuses the receipts") } ? true : nil
        }
        #expect(isSaid != nil, "\(service.log.lines)")
        try await publish(Payloads.location(1), to: "location", desk)
        try await service.waitForRecords(1)
        try await service.stop()
    }
}
