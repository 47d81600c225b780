import Glibc
import Logging
import Odograph
import OdographHarness
import OdographLink
import OdographSQLite
import Testing

@testable import OdographRecorder

@Suite("The recorder and a real broker")
struct FleetRecorderTests {
    @Test("It stores what the broker retains, what the vehicles publish, and what came while it was away")
    func client() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let service = try RecorderService(broker: broker.port)
        try await desk.publish(String(decoding: Payloads.location(1), as: UTF8.self), to: van + "location")
        try await service.start()
        try await service.waitForRecords(1)
        try await desk.publish(
            String(decoding: Payloads.location(2), as: UTF8.self), to: van + "location/backlog", isRetained: false)
        try await service.waitForRecords(2)
        try await service.stop()
        try await desk.flood(
            (3...200).map { String(decoding: try Payloads.location($0), as: UTF8.self) }, to: van + "location/backlog",
            isRetained: false)
        // Another fleet is not recorded.
        try await desk.publish(
            String(decoding: Payloads.location(9), as: UTF8.self), to: "fleet/other/van-7/location")
        try await service.start()
        // The retained message comes again.
        try await service.waitForRecords(200)
        try await service.stop()
        // Only the first connection began a session.
        #expect(service.log.lines.count { $0.contains("no session of this recorder") } == 1)
        #expect(try service.file.rows("SELECT first, last FROM runs") == [["1", "200"]])
        #expect(try service.file.rows("SELECT fleet, device FROM vehicles") == [["acme", "van-7"]])
        #expect(try service.file.rows("SELECT count(*) FROM conflicts") == [["0"]])
    }

    @Test("It subscribes again when no message comes, because a broker can have lost the subscriptions")
    func silence() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        try await desk.publish(String(decoding: Payloads.location(1), as: UTF8.self), to: van + "location")
        let service = try RecorderService(broker: broker.port, silenceSeconds: 0.2)
        try await service.start()
        // With each subscription the broker delivers the retained message again.
        let counters = try #require(service.recorder).counters
        #expect(try await eventually { counters.current().messages >= 3 ? true : nil } == true)
        try await service.stop()
        #expect(try service.file.rows("SELECT first, last FROM runs") == [["1", "1"]])
    }

    @Test("A deleted retained message is no message of a vehicle, and none that violates the contract")
    func deletion() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let service = try RecorderService(broker: broker.port)
        try await service.start()
        for channel in ["location", "status", "geofence"] {
            try await desk.publish("", to: van + channel, isRetained: channel != "geofence")
        }
        try await desk.publish(String(decoding: Payloads.location(1), as: UTF8.self), to: van + "location")
        try await service.waitForRecords(1)
        try await service.stop()
        // No agent deletes an event of a geofence, which nothing retains.
        #expect(try service.file.rows("SELECT topic, reason FROM rejected") == [["\(van)geofence", "empty"]])
    }

    @Test("It says that the broker refuses a subscription, or delivers at QoS 0 only")
    func refused() async throws {
        // 0x24 0 is the maximum QoS in a CONNACK of MQTT 5.
        let broker = try StubBroker { client in
            guard client.next() != nil else { return }
            client.send([0x20, 5, 0, 0, 2, 0x24, 0])
            while let packet = client.next() {
                if packet.type == 8 { client.send([0x90, 4] + packet.body[0..<2] + [0, 0x87]) }
            }
        }
        let service = try RecorderService(broker: broker.port)
        try await service.begin()
        let isSaid = try await eventually { () -> Bool? in
            let refusals = service.log.lines.count { $0.contains("refuses the subscription to fleet/acme/+/") }
            return refusals == 8 && service.log.lines.contains { $0.contains("QoS 0 only") } ? true : nil
        }
        #expect(isSaid != nil, "\(service.log.lines)")
        try await service.stop()
    }

    @Test("Messages that are no records are kept apart, and those after them are stored")
    func rejected() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let service = try RecorderService(broker: broker.port)
        try await service.start()
        let wrong = ["no JSON", "[]", "null", "{}", String(repeating: "[", count: 100_000)]
        try await desk.flood(wrong, to: van + "location/backlog", isRetained: false)
        try await desk.flood(
            [String(repeating: "x", count: RecordingSettings.maximumPayloadBytes + 1)], to: van + "timeline/other",
            isRetained: false)
        try await desk.flood(
            [1, 2, 2, 4].map { String(decoding: try Payloads.location($0), as: UTF8.self) },
            to: van + "location/backlog", isRetained: false)
        try await service.waitForRecords(3)
        try await service.stop()
        #expect(
            try service.file.rows("SELECT count(*) FROM rejected WHERE topic LIKE '%location/backlog'")
                == [["\(wrong.count)"]])
        #expect(
            try service.file.rows("SELECT length(payload), reason LIKE 'longer%' FROM rejected WHERE bytes > 1000000")
                == [["0", "1"]])
    }

    /// The lock is what a program does that writes into the database, or an administrator's shell.
    @Test("While the database is locked, it is disconnected with a bounded memory, and then stores everything")
    func locked() async throws {
        let broker = try await MosquittoBroker(configuration: "max_queued_messages 0")
        let desk = BrokerOperator(port: broker.port)
        let service = try RecorderService(broker: broker.port)
        try await service.start()
        try await desk.publish(String(decoding: Payloads.location(1), as: UTF8.self), to: van + "location")
        try await service.waitForRecords(1)
        let locking = try Connection<HarnessError>(path: service.file.path)
        try locking.execute("BEGIN IMMEDIATE")
        // 40 MB, which a recorder without a bound would have in memory.
        let filling = String(repeating: " ", count: 20_000)
        try await desk.flood(
            (2...2001).map { String(decoding: try Payloads.location($0), as: UTF8.self) + filling },
            to: van + "location/backlog", isRetained: false)
        let isAway = try await eventually { broker.hasEnded("recorder-test") ? true : nil }
        #expect(isAway != nil, "\(broker.log) \(service.log.lines)")
        // What waits of a vehicle, a batch, and twice what the client holds: events in work, and those that it had
        // then.
        let most =
            VehicleLimits().waitingBytes + BatchLimits.maximumBytes + 8 * RecordingSettings.maximumPayloadBytes
        let pending = await service.recorder?.pendingBytes
        #expect(pending ?? 0 < most)
        #expect(service.log.lines.count { $0.contains("are refused") } == 0, "\(service.log.lines)")
        #expect(service.log.lines.count { $0.contains("database cannot be used") } == 1, "\(service.log.lines)")
        try locking.execute("ROLLBACK")
        try await service.waitForRecords(2001)
        try await service.stop()
        #expect(try service.file.rows("SELECT first, last FROM runs") == [["1", "2001"]])
        #expect(service.log.lines.count { $0.contains("can be used again") } == 1, "\(service.log.lines)")
    }

    @Test("On a full disk it waits, and goes on when there is space", .enabled(if: SmallFileSystem.isPossible))
    func full() async throws {
        let disk = try SmallFileSystem(bytes: 2 << 20)
        let broker = try await MosquittoBroker(configuration: "max_queued_messages 0")
        let desk = BrokerOperator(port: broker.port)
        let service = try RecorderService(broker: broker.port, path: disk.folder.file("recorder.db"))
        try await service.start()
        try await desk.publish(String(decoding: Payloads.location(1), as: UTF8.self), to: van + "location")
        try await service.waitForRecords(1)
        disk.fill()
        try await desk.flood(
            (2...300).map { String(decoding: try Payloads.location($0), as: UTF8.self) }, to: van + "location/backlog",
            isRetained: false)
        let isAway = try await eventually { broker.hasEnded("recorder-test") ? true : nil }
        #expect(isAway != nil, "\(broker.log) \(service.log.lines)")
        #expect(service.log.lines.contains { $0.contains("no space to write") }, "\(service.log.lines)")
        disk.release()
        try await service.waitForRecords(300)
        try await service.stop()
        #expect(try service.file.rows("SELECT first, last FROM runs") == [["1", "300"]])
    }

    @Test("If its file is deleted, it begins a new one, and the batch at that time is in the new one")
    func deleted() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let service = try RecorderService(broker: broker.port)
        try await service.start()
        try await desk.publish(String(decoding: Payloads.location(1), as: UTF8.self), to: van + "location")
        try await service.waitForRecords(1)
        for suffix in ["", "-wal", "-shm"] { unlink(service.file.path + suffix) }
        try await desk.publish(
            String(decoding: Payloads.location(2), as: UTF8.self), to: van + "location/backlog", isRetained: false)
        // The broker sends the retained one again at the next connection.
        let runs = try await eventually { () -> [[String]]? in
            // The file exists before its tables.
            guard access(service.file.path, F_OK) == 0,
                try service.file.rows("SELECT name FROM sqlite_schema WHERE name = 'runs'") == [["runs"]]
            else { return nil }
            let runs = try service.file.rows("SELECT first, last FROM runs")
            return runs == [["1", "2"]] ? runs : nil
        }
        #expect(runs != nil, "\(service.log.lines)")
        #expect(service.log.lines.contains { $0.contains("was deleted or replaced") }, "\(service.log.lines)")
        try await service.stop()
    }

    @Test("If a service finds that the file was replaced, the session ends, and the new database gets its own receipts")
    func lostFile() async throws {
        let broker = try await MosquittoBroker()
        let service = try RecorderService(broker: broker.port)
        try await service.start()
        let recorder = try #require(service.recorder)
        for suffix in ["", "-wal", "-shm"] { unlink(service.file.path + suffix) }
        let notification = PendingNotification(key: 1, rule: "r", vehicle: 1, payload: "{}", attempts: 0)
        await #expect(throws: DatabaseFailure.fileLost(path: service.file.path)) {
            try await recorder.withDatabase { database throws(DatabaseFailure) in
                try database.notifications.note(.delivered, of: notification, delaySeconds: 0)
            }
        }
        let isBack = try await eventually {
            service.log.lines.contains { $0.contains("can be used again") } ? true : nil
        }
        #expect(isBack != nil, "\(service.log.lines)")
        #expect(broker.hasEnded("recorder-test"))
        try await BrokerOperator(port: broker.port).publish(
            String(decoding: Payloads.location(1), as: UTF8.self), to: van + "location")
        try await service.waitForRecords(1)
        try await service.stop()
    }

    @Test(
        "A stop after the file, or its log, was deleted stores the last batch in a file at the path",
        arguments: [["", "-wal", "-shm"], ["-wal"]])
    func deletedAtStop(suffixes: [String]) async throws {
        let broker = try await MosquittoBroker()
        // The batch waits until the stop.
        let service = try RecorderService(broker: broker.port) { $0.recording.batch.seconds = 600 }
        try await service.start()
        let recorder = try #require(service.recorder)
        let first = try #require(Archive.entries([(van + "location", try Payloads.location(1))]).first)
        _ = try await recorder.withDatabase { database throws(DatabaseFailure) in try database.records.write([first]) }
        try await BrokerOperator(port: broker.port).publish(
            String(decoding: Payloads.location(2), as: UTF8.self), to: van + "location")
        #expect(try await eventually { await recorder.pendingBytes > 0 ? true : nil } == true)
        for suffix in suffixes { unlink(service.file.path + suffix) }
        try await service.stop()
        #expect(try service.file.rows("SELECT seq FROM records WHERE seq = 2") == [["2"]], "\(service.log.lines)")
    }

    @Test("A stop while the database is locked ends the recorder, and says that messages are lost")
    func lostAtStop() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let service = try RecorderService(broker: broker.port)
        try await service.start()
        let locking = try Connection<HarnessError>(path: service.file.path)
        try locking.execute("BEGIN IMMEDIATE")
        try await desk.publish(String(decoding: Payloads.location(1), as: UTF8.self), to: van + "location")
        let isAway = try await eventually {
            service.log.lines.contains { $0.contains("database cannot be used") } ? true : nil
        }
        #expect(isAway != nil)
        await #expect(throws: DatabaseFailure.locked(path: service.file.path)) { try await service.stop() }
        #expect(service.log.lines.contains { $0.contains("1 received messages are lost") }, "\(service.log.lines)")
    }

    @Test("A database that cannot be opened at the start ends the recorder at once")
    func unusable() async throws {
        let folder = try TemporaryFolder()
        let service = try RecorderService(broker: 1, path: folder.file("none/recorder.db"))
        await #expect(throws: DatabaseFailure.self) {
            try await service.begin()
            try await service.stop()
        }
    }
}

extension FleetRecorder {
    /// The size of the received payloads that are not committed, bytes.
    fileprivate var pendingBytes: Int { batch.bytes + intake.bytes }
}
