import Glibc
import OdographBatches
import OdographHarness
import OdographJSON
import OdographStore
import OdographWire
import Testing

@Suite("Batches under interruptions")
struct BatchLoopTests {
    /// How often something is interrupted: the agent, the broker, or the recorder.
    private static let rounds = getenv("ODOGRAPH_KILL_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 6

    private func configuration(_ port: UInt16, delivery: String) -> String {
        AgentProcess.configuration(
            broker: port, source: "{ replay: { file: \"drive.jsonl\", speed: 100 } }",
            tracking: """
                { heartbeat_interval: 0, sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 },
                  encoding: "compact", batch_interval: 1, position_interval: 1, \(delivery) }
                """)
    }

    @Test(
        "A recorder gets each record exactly, whatever is killed with receipts, or stopped without them",
        arguments: [false, true])
    func killed(isReceipted: Bool) async throws {
        let delivery = isReceipted ? "delivery: \"receipt\", delivery_keep: 0" : "delivery: \"broker\""
        let broker = try await MosquittoBroker.durable()
        // Batches are not text.
        let subscriber = try await Subscriber(
            port: broker.port,
            topics: ["location", "geofence", "timeline", "given_up", "reported", "status"].map {
                "fleet/acme/van-7/\($0)/#"
            },
            id: "reference")
        let recorder = try await RecorderProcess(port: broker.port, keys: "receipt_interval: 1")
        let folder = try TemporaryFolder()
        try folder.write(Capture.rounds(120 + Self.rounds), to: "drive.jsonl")
        var agent = try AgentProcess(folder: folder, configuration: configuration(broker.port, delivery: delivery))
        var random = SplitMix64(seed: 11)
        for round in 0..<Self.rounds {
            try await recorder.waitForFurther(Int.random(in: 1...60, using: &random))
            switch round % 3 {
            case 0:
                try await agent.kill()
                agent = try AgentProcess(folder: folder, configuration: configuration(broker.port, delivery: delivery))
            case 1:
                try await broker.stop(SIGTERM)
                try await broker.start()
            default:
                // libmosquitto acknowledges a message before the recorder gets it. A killed recorder therefore loses
                // messages. Only the delivery with receipts sends them again.
                if isReceipted {
                    try await recorder.kill()
                } else {
                    #expect(try await recorder.stop() == .exited(0))
                }
                try await recorder.start()
            }
        }
        try await recorder.waitForFurther(60)
        try await BrokerOperator(port: broker.port).publish(
            #"{"tracking":{"enabled":false}}"#, to: "fleet/acme/van-7/config")
        let isOff = try await eventually { try subscriber.reports().last?.tracking.isEnabled == false ? true : nil }
        #expect(isOff != nil, "\(agent.child.errors)")
        // With receipts the newest record stays.
        let isDelivered = try await eventually { await agent.depth().map { $0 <= 1 } == true ? true : nil }
        #expect(isDelivered != nil, "\(agent.child.errors)")
        #expect(try await agent.stop() == .exited(0))
        let ledger = try subscriber.ledger()
        let isComplete = try await eventually { () -> Bool? in
            let stored = Set(try recorder.file.rows("SELECT seq FROM records").compactMap { Int64($0[0]) })
            guard let last = stored.max() else { return nil }
            return (1...last).allSatisfy { seq in
                stored.contains(seq) || ledger.contains { ($0.from...$0.to).contains(seq) }
            } ? true : nil
        }
        #expect(isComplete != nil, "\(recorder.child.errors)")
        #expect(try await recorder.stop() == .exited(0))
        // A conflict is a number with two contents, such as a record that came alone and, differently, in a batch.
        #expect(try recorder.file.rows("SELECT * FROM conflicts") == [])
        #expect(try recorder.file.rows("SELECT * FROM rejected") == [])
        try checkStored(recorder, subscriber)
    }

    /// Checks that stored records are canonical, that most came in batches, and that others did not.
    private func checkStored(_ recorder: RecorderProcess, _ subscriber: Subscriber) throws {
        let payloads = try recorder.file.rows("SELECT payload FROM records ORDER BY epoch, seq").map { $0[0] }
        for payload in payloads {
            var scanner = JSONScanner(Array(payload.utf8))
            var reader = CanonicalJSONReader(maximumBytes: 1 << 20, sizeReason: "long")
            #expect(String(decoding: try reader.readValue(&scanner), as: UTF8.self) == payload)
        }
        let alone = try subscriber.locations()
        // A batch has at most 100 records, so the last one of a backlog can be alone.
        #expect(alone.allSatisfy { $0.topic.hasPrefix("fleet/acme/van-7/location") })
        #expect(alone.count * 4 < payloads.count, "\(alone.count) of \(payloads.count)")
        #expect(Set(payloads).isSuperset(of: alone.map(\.payload)))
    }

    @Test("A broker that refuses batches gets each record on its own topic")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let channels = ["location", "geofence", "timeline", "status", "reported"]
        try folder.write(
            channels.map { "topic readwrite fleet/acme/van-7/\($0)/#\n" }.joined() + "topic read fleet/#\n", to: "rules"
        )
        let broker = try await MosquittoBroker(configuration: "acl_file \(folder.file("rules"))", folder: folder)
        let subscriber = try await Subscriber(port: broker.port, topics: ["fleet/acme/van-7/#"])
        try folder.write(Capture.rounds(3), to: "drive.jsonl")
        let agent = try AgentProcess(
            folder: folder, configuration: configuration(broker.port, delivery: "delivery: \"broker\""))
        let isComplete = try await eventually { () -> Bool? in
            guard await agent.depth() == 0 else { return nil }
            return try subscriber.hasAll(atLeast: 200) ? true : nil
        }
        #expect(isComplete != nil, "\(agent.child.errors)")
        #expect(agent.child.errors.contains("the broker refused a batch of"))
        #expect(try await agent.stop() == .exited(0))
    }
}
