import FoundationEssentials
import Glibc
import OdographHarness
import Odograph
import OdographOperator
import Testing
import OdographWire

@Suite("The recorder of the consumer's guide")
struct RecorderExampleTests {
    /// How often something is interrupted: the recorder, the recorder and the agent, or the broker.
    private static let rounds = getenv("ODOGRAPH_KILL_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 9

    @Test("Interrupted again and again, it stores each record once, explains each gap and has the agent's timeline")
    func killed() async throws {
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port, topics: ["fleet/acme/van-7/#"], id: "reference")
        let recorder = try ExampleRecorder(arguments: ["127.0.0.1", "\(broker.port)", "fleet/acme", "recorder"])
        try await recorder.start()
        // Longer than the rounds need on the slowest machine: twelve minutes. A parked vehicle makes no record without
        // a heartbeat.
        let folder = try TemporaryFolder()
        try folder.write(Capture.rounds(120 + Self.rounds), to: "drive.jsonl")
        var agent = try AgentProcess(folder: folder, configuration: AgentProcess.replayConfiguration(broker.port))
        var random = SplitMix64(seed: 7)
        for round in 0..<Self.rounds {
            try await recorder.waitForCommits(Int.random(in: 1...40, using: &random))
            switch round % 3 {
            case 0:
                try await recorder.kill()
                try await recorder.start()
            case 1:
                try await recorder.kill()
                // The numbers that the agent has reserved become gaps.
                try await agent.kill()
                agent = try AgentProcess(folder: folder, configuration: AgentProcess.replayConfiguration(broker.port))
                try await recorder.start()
            default:
                let subscriptions = recorder.subscriptions
                try await broker.stop(SIGTERM)
                try await broker.start()
                try await recorder.waitForSubscription(subscriptions + 1)
            }
        }
        try await agent.turnOff(port: broker.port, subscriber, records: 100)

        let published = Dictionary(
            try subscriber.numbered().map { ($0.number, $0.payload) }, uniquingKeysWith: { first, _ in first })
        #expect(published.count > 100)
        let isComplete = try await eventually {
            try await recorder.query("SELECT epoch, seq FROM record").count == published.count ? true : nil
        }
        let stored = try await recorder.query("SELECT epoch, seq, body FROM record WHERE device = 'van-7'")
        #expect(isComplete != nil, "\(stored.count) of \(published.count)")
        #expect(Set(stored.map { $0[0...1].joined(separator: " ") }).count == stored.count)
        #expect(stored.allSatisfy { published[$0[0...1].joined(separator: " ")] == $0[2] })
        #expect(try await recorder.query("SELECT * FROM refused") == [])
        try await gaps(recorder)
        try await timeline(recorder, agent)
        #expect(try await agent.stop() == .exited(0))
    }

    /// Each number is a record or in the ledger.
    private func gaps(_ recorder: ExampleRecorder) async throws {
        var unexplained: [[String]] = []
        let isExplained = try await eventually { () -> Bool? in
            unexplained = try await recorder.query("SELECT * FROM unexplained")
            return unexplained.isEmpty ? true : nil
        }
        #expect(isExplained != nil, "\(unexplained)")
        let reasons = try await recorder.query("SELECT reasons FROM gap").map { $0[0] }
        #expect(reasons.contains { $0.contains("never_assigned") }, "\(reasons)")
        #expect(reasons.allSatisfy { $0 != "None" })
        // The view finds a record that is taken away. The range of an entry can contain records.
        let outside = try await recorder.query(
            """
            SELECT epoch, seq FROM record WHERE NOT EXISTS (
                SELECT * FROM ledger WHERE ledger.epoch = record.epoch AND seq BETWEEN first AND last)
            ORDER BY seq DESC LIMIT 1 OFFSET 5
            """)
        let number = try #require(outside.first)
        let found = try await recorder.query(
            "DELETE FROM record WHERE (epoch, seq) = (\(number[0]), \(number[1]))",
            "SELECT epoch, first, last FROM unexplained")
        #expect(found == [number + number.suffix(1)])
    }

    /// The timeline is the one that the agent has.
    private func timeline(_ recorder: ExampleRecorder, _ agent: AgentProcess) async throws {
        let events = try agent.timeline()
        #expect(events.count >= 3)
        let built = try await recorder.query("SELECT body FROM timeline ORDER BY start_date").map {
            try JSONDecoder().decode(TimelineMessage.self, from: Data($0[0].utf8)).timelineEvent
        }
        #expect(built == events)
        // The newest revision is the one with the greatest number.
        let older = try await recorder.query(
            """
            SELECT event_id FROM timeline JOIN record ON kind = 'timeline'
            AND record.body ->> '$.timeline_event.event_id' = event_id
            AND record.body ->> '$.timeline_event.revision' > timeline.body ->> '$.timeline_event.revision'
            """)
        #expect(older == [])
    }

    @Test("Messages that are no records are kept apart, and the records after them are stored")
    func refused() async throws {
        let broker = try await MosquittoBroker.durable()
        let recorder = try ExampleRecorder(arguments: ["127.0.0.1", "\(broker.port)", "fleet/acme", "recorder"])
        try await recorder.start()
        let desk = BrokerOperator(port: broker.port)
        let wrong = [
            "no JSON", "[]", "7", "null", "{}", #"{"location":null}"#, #"{"location":{"epoch":1}}"#,
            #"{"location":{"epoch":{},"seq":1}}"#, #"{"location":{"epoch":1,"seq":1e999}}"#,
            #"{"location":{"epoch":1,"seq":99999999999999999999}}"#, #"{"location":{"epoch":1,"seq":1,"x":NaN}}"#,
            #"{"location":{"epoch":1.9,"seq":1}}"#, #"{"location":{"epoch":true,"seq":2}}"#,
            #"{"location":{"epoch":"7","seq":8}}"#, #"{"location":{"epoch":-5,"seq":7}}"#,
            #"{"location":{"epoch":9007199254740992,"seq":1}}"#,
            String(repeating: "[", count: 100_000),
        ]
        try await desk.flood(wrong, to: "fleet/acme/van-9/location/backlog", isRetained: false)
        let right = [1, 2, 2, 4].map { #"{"location":{"epoch":5,"seq":\#($0),"x":"\ud800"}}"# }
        try await desk.flood(right, to: "fleet/acme/van-9/location/backlog", isRetained: false)
        let stored = try await eventually { () -> [[String]]? in
            let rows = try await recorder.query("SELECT seq FROM record ORDER BY seq")
            return rows.count == 3 ? rows : nil
        }
        #expect(stored == [["1"], ["2"], ["4"]])
        #expect(try await recorder.query("SELECT payload FROM refused").count == wrong.count)
        #expect(try await recorder.query("SELECT first, last, reasons FROM gap") == [["3", "3", "None"]])
        #expect(recorder.isRunning)
    }

    @Test("Hostile batches that wait in its session end nothing, and the record after them is stored")
    func hostile() async throws {
        let broker = try await MosquittoBroker.durable()
        let recorder = try ExampleRecorder(arguments: ["127.0.0.1", "\(broker.port)", "fleet/acme", "recorder"])
        try await recorder.start()
        try await recorder.kill()
        let script = """
            import base64, json, subprocess, sys, zlib
            for case in json.load(open(sys.argv[1])):
                document, message = case.get("document"), case.get("message")
                payload = zlib.compress(document.encode()) if message is None else base64.b64decode(message)
                subprocess.run(["mosquitto_pub", "-p", sys.argv[2], "-q", "1", "-t", "fleet/acme/van-9/batch",
                                "-s" if payload else "-n"], input=payload, check=True)
                print(case["name"])
            """
        let (ending, output, errors) = try await ChildProcess.run(
            "/usr/bin/python3",
            ["-c", script, Corpora.projectRoot + "/Tests/Contract/hostile-batches.json", "\(broker.port)"], seconds: 120
        )
        #expect(ending == .exited(0), "\(errors)")
        let desk = BrokerOperator(port: broker.port)
        try await desk.publish(
            #"{"location":{"epoch":5,"seq":1}}"#, to: "fleet/acme/van-8/location", isRetained: false)
        try await recorder.start()
        let stored = try await eventually { () -> [[String]]? in
            let rows = try await recorder.query("SELECT device FROM record")
            return rows.isEmpty ? nil : rows
        }
        #expect(stored == [["van-8"]])
        #expect(try await recorder.query("SELECT topic FROM refused").count == output.count { $0 == "\n" })
        #expect(recorder.isRunning)
    }

    @Test("It uses the broker of the operator's manual: TLS, a password and the role recorder")
    func secured() async throws {
        let broker = try await SecuredBroker(people: ["archive": "recorder"])
        let password = try broker.folder.write(SecuredBroker.password + "\n", to: "password", mode: 0o600)
        let recorder = try ExampleRecorder(
            arguments: [
                "127.0.0.1", "\(broker.peoplePort)", "fleet/acme", "recorder", "archive", password,
                broker.folder.file("fleet/broker/ca.crt"),
            ])
        try await recorder.start()
        let vehicle = try await ProvisionedVehicle(broker)
        let kinds = try await eventually { () -> [[String]]? in
            let rows = try await recorder.query(
                "SELECT kind FROM record UNION SELECT kind FROM report ORDER BY kind")
            return rows.count == 4 ? rows : nil
        }
        #expect(kinds == [["location"], ["reported"], ["status"], ["timeline"]], "\(vehicle.child.errors)")
    }
}

/// `config/recorder.py` as a process, and its database.
private final class ExampleRecorder {
    private let folder: TemporaryFolder
    private let arguments: [String]
    private var child: ChildProcess?
    private let views: String

    /// - Parameter arguments: Those after the path of the database.
    init(arguments: [String]) throws {
        folder = try TemporaryFolder()
        self.arguments = arguments
        let article = try FileContents.text(
            Corpora.projectRoot + "/Sources/Odograph/Odograph.docc/ConsumersGuide.md")
        views = article.matches(of: #/```sql\n(CREATE [^`]*)```/#).map { String($0.1) }.joined()
        guard views.contains("unexplained"), views.contains("timeline") else {
            throw HarnessError("ConsumersGuide has no views")
        }
    }

    var isRunning: Bool { child.map { $0.poll() == nil } ?? false }

    /// Starts it, and waits until its subscriptions are granted.
    func start() async throws {
        let child = try ChildProcess(
            Corpora.projectRoot + "/config/recorder.py", [folder.file("fleet.db")] + arguments)
        self.child = child
        try await waitForSubscription(1)
    }

    /// How many times it has subscribed since its start.
    var subscriptions: Int { child?.output.split(separator: "\n").count { $0 == "subscribed" } ?? 0 }

    /// Waits until it has subscribed so many times since its start.
    func waitForSubscription(_ count: Int) async throws {
        let isSubscribed = try await eventually { () -> Bool? in
            if !isRunning { throw HarnessError("the recorder has ended: \(words)") }
            return subscriptions >= count ? true : nil
        }
        guard isSubscribed != nil else { throw HarnessError("no subscription: \(words)") }
    }

    /// All that it has printed.
    private var words: String { child.map { $0.output + $0.errors } ?? "" }

    /// Ends it without warning.
    func kill() async throws {
        child?.send(SIGKILL)
        #expect(try await child?.wait() == .killed(SIGKILL), "\(words)")
    }

    /// Waits until it has written to the log of its database so many times.
    func waitForCommits(_ count: Int) async throws {
        for _ in 0..<count {
            let before = logState
            guard try await eventually({ logState != before ? true : nil }) != nil else {
                throw HarnessError("no commit: \(words)")
            }
        }
    }

    /// The size of the log and the time of its last change.
    private var logState: [Int] {
        var status = stat()
        guard stat(folder.file("fleet.db-wal"), &status) == 0 else { return [] }
        return [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }

    /// The rows of the last statement, each value as Python prints it. Nothing is changed: the statements are rolled
    /// back.
    func query(_ statements: String...) async throws -> [[String]] {
        let script = """
            import json, sqlite3, sys
            db = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
            db.execute("BEGIN IMMEDIATE")
            for statement in sys.argv[2].split(";"): db.execute(statement)
            for statement in sys.argv[3:]: rows = db.execute(statement).fetchall()
            print(json.dumps([[str(value) for value in row] for row in rows]))
            """
        let (ending, output, errors) = try await ChildProcess.run(
            "/usr/bin/python3", ["-c", script, folder.file("fleet.db"), views] + statements)
        guard ending == .exited(0) else { throw HarnessError(errors) }
        return try JSONDecoder().decode([[String]].self, from: Data(output.utf8))
    }
}

extension Subscriber {
    /// The records so far: epoch and number, and the payload.
    func numbered() throws -> [(number: String, payload: String)] {
        try messages.compactMap { message in
            let decoded = try JSONDecoder().decode(JSONValue.self, from: Data(message.payload.utf8))
            guard case .object(let members) = decoded,
                case .object(let record)? = members["location"] ?? members["timeline_event"],
                case .integer(let epoch)? = record["epoch"], case .integer(let seq)? = record["seq"]
            else { return nil }
            return ("\(epoch) \(seq)", message.payload)
        }
    }
}
