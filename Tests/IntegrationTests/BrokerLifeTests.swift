import Glibc
import OdographHarness
import OdographWire
import Testing

/// Everything that an agent needs of a broker. `ODOGRAPH_BROKERS` selects the kinds, as in
/// `mosquitto,nats,natsCluster,rabbitMQ`, and `ODOGRAPH_BACKLOG` sets the number of records that wait at the beginning.
@Suite("The life of an agent with each kind of broker")
struct BrokerLifeTests {
    /// The kinds of this run. RabbitMQ needs a minute for each start, and a cluster of NATS for each killed server.
    private static let kinds: [BrokerKind] =
        getenv("ODOGRAPH_BROKERS").map { names in
            String(cString: names).split(separator: ",").compactMap { BrokerKind(rawValue: String($0)) }
        } ?? [.mosquitto, .nats]
    private static let backlog = getenv("ODOGRAPH_BACKLOG").flatMap { Int(String(cString: $0)) } ?? 2000

    private static let topic = "fleet/acme/van-7"
    private static let circle = """
        {"type":"FeatureCollection","features":[{"type":"Feature","id":"depot",
         "geometry":{"type":"Point","coordinates":[-3.7,40.4]},"properties":{"radius":200}}]}
        """

    private static func document(version: Int) -> String {
        "{\"version\":\"\(version)\",\"tracking\":{\"heartbeat_interval\":60}}"
    }

    /// Lets an agent record a drive without a connection.
    private func offlineDrive(in folder: TemporaryFolder) async throws {
        try folder.write(Capture.drive(seconds: Self.backlog), to: "drive.jsonl")
        let agent = try AgentProcess(
            folder: folder,
            configuration: configuration(
                try FreePort.next(), source: "{ replay: { file: \"drive.jsonl\", speed: \"max\" } }"))
        try await wait(for: "a full outbox", agent, seconds: 1200) { await agent.depth() ?? 0 >= Self.backlog }
        #expect(try await agent.stop() == .exited(0))
    }

    private func configuration(_ port: UInt16, source: String) -> String {
        AgentProcess.configuration(
            broker: port, source: source,
            tracking: """
                { delivery: "receipt", delivery_keep: 0,
                  sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }
                """)
    }

    @Test(
        "Will, retained messages, commands, configuration, geofences, a backlog, receipts and history work",
        arguments: kinds)
    func life(kind: BrokerKind) async throws {
        let folder = try TemporaryFolder()
        try await offlineDrive(in: folder)
        let broker = try await kind.start()
        let (port, otherPort) = (broker.ports[0], broker.ports[broker.ports.count - 1])
        let desk = BrokerOperator(port: otherPort)
        let recorder = try await RecorderProcess(
            port: otherPort, keys: "receipt_interval: 1, history: { answer: true }")
        let names = ["status", "reported", "location", "response"]
        let subscriber = try await Subscriber(port: otherPort, topics: names.map { "\(Self.topic)/\($0)" })

        // The documents are there before the agent is.
        try await desk.publish(Self.document(version: 1), to: "fleet/acme/all/config")
        try await desk.publish(Self.circle, to: "\(Self.topic)/geofences")
        let agent = try AgentProcess(folder: folder, configuration: configuration(port, source: "{ simulator: {} }"))
        try await wait(for: "a report with both documents in force", agent) {
            try subscriber.reports().last.map { report in
                report.levels.contains { $0.version == "1" && $0.isApplied } && report.geofences.count == 1
            } ?? false
        }
        try await wait(for: "a status", agent) { try subscriber.statuses().last?.state == .online }
        try await wait(for: "a position", agent) { try !subscriber.locations().isEmpty }
        try await wait(for: "the backlog in the database, and receipts for it", agent, seconds: 3600) {
            guard try recorder.count() >= Self.backlog, let depth = await agent.depth() else { return false }
            return depth < 100
        }

        try await desk.publish(
            "{\"id\":\"c1\",\"action\":\"get_odometer\"}", to: "\(Self.topic)/command", isRetained: false)
        try await wait(for: "a response", agent) { try subscriber.responses().contains { $0.id == "c1" } }
        try await desk.publish(Self.document(version: 2), to: "fleet/acme/all/config")
        try await wait(for: "a report of a changed document", agent) {
            try subscriber.reports().last?.levels.contains { $0.version == "2" && $0.isApplied } ?? false
        }
        let answers = try await Subscriber(port: otherPort, topics: ["fleet/history:acme/ann/answer/+"], id: "ann")
        try await desk.publish(
            #"{"kind":"latest"}"#, to: "fleet/history:acme/ann/request/h1", isRetained: false)
        try await wait(for: "the recorder's answer about the past", agent) {
            answers.messages.contains { $0.payload.contains("\"device\":\"van-7\"") }
        }
        // Some brokers give no retained messages to wildcards. The command calls the roll then.
        let status = try await ChildProcess.run(
            AgentProcess.executable,
            ["fleet", "status", "--broker", "mqtt://127.0.0.1:\(otherPort)", "--fleet", "acme"])
        #expect(status.output.contains("1 vehicle: 1 online"), "\(status.output) \(status.errors)")

        let client = try #require(try subscriber.statuses().last?.connection)
        try await broker.interrupt(0)
        // Records alone would not show a connection: the broker keeps those of before the kill for the recorder.
        try await wait(for: "the agent's next connection", agent) {
            try subscriber.statuses().last?.connection ?? 0 > client
        }
        try await recorder.waitForFurther(5)
        try await agent.kill()
        try await wait(for: "the last will", agent) {
            try subscriber.statuses().last.map { $0.state == .offline && $0.reason == .connectionLost } ?? false
        }
        let late = try await Subscriber(port: otherPort, topics: ["\(Self.topic)/status"], id: "late")
        try await wait(for: "the retained last will", agent) {
            try late.statuses(isRetained: true).last?.reason == .connectionLost
        }

        let next = try AgentProcess(folder: folder, configuration: configuration(port, source: "{ simulator: {} }"))
        try await recorder.waitForFurther(5)
        #expect(try await next.stop() == .exited(0))
        try await wait(for: "the farewell", next) { try subscriber.statuses().last?.reason == .stopped }
        // The last status says how many records wait, here for a receipt.
        let queue = try #require(try subscriber.statuses().last?.queue)
        #expect((queue.depth == 0) == (queue.oldest == nil))
        #expect(try await recorder.stop() == .exited(0))
        #expect(try recorder.file.rows("SELECT queue_depth FROM vehicles") == [["\(queue.depth)"]])
        #expect(try recorder.file.rows("SELECT * FROM covered WHERE first <> 1") == [])
        for table in ["open_gaps", "conflicts", "rejected"] {
            #expect(try recorder.file.rows("SELECT count(*) FROM \(table)") == [["0"]], "\(table)")
        }
    }

    private func wait(
        for words: String, _ agent: AgentProcess, seconds: Double = 400, until isThere: () async throws -> Bool
    ) async throws {
        guard try await eventually(within: seconds, { try await isThere() ? true : nil }) != nil else {
            throw HarnessError("no sign of \(words): \(agent.child.errors.suffix(3000))")
        }
    }
}
