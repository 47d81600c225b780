import FoundationEssentials
import Glibc
import OdographHarness
import Odograph
import OdographJSON
import OdographOperator
import OdographSQLite
import OdographWire
import Testing

@Suite("The recorder")
struct RecorderProgramTests {
    /// How often something is interrupted: the recorder, the agent, or the broker.
    private static let rounds = getenv("ODOGRAPH_KILL_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 6

    /// The recorder is stopped by SIGTERM: a kill can lose the messages of its last batch, which libmosquitto has
    /// acknowledged.
    @Test("Interrupted again and again, it stores each record once, explains each gap and has the agent's timeline")
    func interrupted() async throws {
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port, topics: ["fleet/acme/van-7/#"], id: "reference")
        let recorder = try await RecorderProcess(port: broker.port)
        let folder = try TemporaryFolder()
        try folder.write(Capture.rounds(120 + Self.rounds), to: "drive.jsonl")
        var agent = try AgentProcess(folder: folder, configuration: AgentProcess.replayConfiguration(broker.port))
        var random = SplitMix64(seed: 7)
        for round in 0..<Self.rounds {
            try await recorder.waitForFurther(Int.random(in: 1...40, using: &random))
            switch round % 3 {
            case 0:
                #expect(try await recorder.stop() == .exited(0))
                try await recorder.start()
            case 1:
                // The numbers that the agent has reserved become gaps.
                try await agent.kill()
                agent = try AgentProcess(folder: folder, configuration: AgentProcess.replayConfiguration(broker.port))
            default:
                let connections = recorder.connections
                try await broker.stop(SIGTERM)
                try await broker.start()
                try await recorder.waitForConnection(connections + 1)
            }
        }
        try await agent.turnOff(port: broker.port, subscriber, records: 50)

        let published = Dictionary(
            try subscriber.numbered().map { ($0.number, $0.payload) }, uniquingKeysWith: { first, _ in first })
        #expect(published.count > 50)
        let isComplete = try await eventually { try recorder.count() == published.count ? true : nil }
        let stored = try recorder.file.rows("SELECT epoch || ' ' || seq, payload FROM records")
        #expect(isComplete != nil, "\(stored.count) of \(published.count)")
        #expect(Dictionary(uniqueKeysWithValues: stored.map { ($0[0], $0[1]) }) == published)
        #expect(try recorder.file.rows("SELECT * FROM rejected") == [])
        #expect(try recorder.file.rows("SELECT * FROM conflicts") == [])
        try await gaps(recorder)
        try timeline(recorder, agent)
        #expect(try await agent.stop() == .exited(0))
        #expect(try await recorder.stop() == .exited(0))
    }

    /// Each number is a record or in the ledger.
    private func gaps(_ recorder: RecorderProcess) async throws {
        var open: [[String]] = []
        let isExplained = try await eventually { () -> Bool? in
            open = try recorder.file.rows("SELECT * FROM open_gaps")
            return open.isEmpty ? true : nil
        }
        #expect(isExplained != nil, "\(open)")
        let reasons = try recorder.file.rows("SELECT reasons FROM gaps").map { $0[0] }
        #expect(reasons.contains { $0.contains("never_assigned") }, "\(reasons)")
        #expect(!reasons.contains("NULL"))
    }

    /// The timeline is the one that the agent has.
    private func timeline(_ recorder: RecorderProcess, _ agent: AgentProcess) throws {
        let events = try agent.timeline()
        #expect(events.count >= 3)
        let built = try recorder.file.rows(
            """
            SELECT payload FROM timeline JOIN records USING (vehicle, epoch, seq) ORDER BY start_date
            """
        ).map { try JSONDecoder().decode(TimelineMessage.self, from: Data($0[0].utf8)).timelineEvent }
        #expect(built == events)
    }

    @Test("After a kill it continues, and each record that was lost is in an open gap")
    func killed() async throws {
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port, topics: ["fleet/acme/van-7/#"], id: "reference")
        let recorder = try await RecorderProcess(port: broker.port)
        let drive = try TemporaryFolder()
        try drive.write(Capture.rounds(40), to: "drive.jsonl")
        let agent = try AgentProcess(folder: drive, configuration: AgentProcess.replayConfiguration(broker.port))
        for _ in 0..<4 {
            try await recorder.waitForFurther(20)
            recorder.child.send(SIGKILL)
            #expect(try await recorder.child.wait() == .killed(SIGKILL))
            try await recorder.start()
        }
        try await recorder.waitForFurther(20)
        #expect(try await agent.stop() == .exited(0))
        #expect(try await recorder.stop() == .exited(0))
        let file = recorder.file
        #expect(try file.rows("PRAGMA integrity_check") == [["ok"]])
        #expect(try file.rows("SELECT count(*) FROM conflicts") == [["0"]])
        // The runs, from which the gaps follow, are those of the records.
        #expect(
            try file.rows("SELECT sum(last - first + 1) FROM runs") == file.rows("SELECT count(*) FROM records"))
        let stored = Set(try file.rows("SELECT epoch || ' ' || seq FROM records").map { $0[0] })
        let open = Set(
            try file.rows(
                """
                WITH RECURSIVE number (epoch, seq, last) AS (
                    SELECT epoch, first, last FROM open_gaps
                    UNION ALL SELECT epoch, seq + 1, last FROM number WHERE seq < last)
                SELECT epoch || ' ' || seq FROM number
                """
            ).map { $0[0] })
        #expect(open.isDisjoint(with: stored))
        let newest = try #require(file.rows("SELECT max(last) FROM runs").first.flatMap { Int64($0[0]) })
        let published = Set(
            try subscriber.numbered().map(\.number).filter { number in
                number.split(separator: " ").last.flatMap { Int64($0) } ?? 0 <= newest
            })
        #expect(published.count > 80)
        #expect(published.subtracting(stored).isSubset(of: open), "\(published.subtracting(stored).subtracting(open))")
    }

    @Test("It uses the broker of the operator's manual: TLS, a password and the role recorder")
    func secured() async throws {
        let broker = try await SecuredBroker(recorders: ["archive"])
        let folder = broker.folder.file("fleet/recorders/archive/")
        let check = try await ChildProcess.run(
            RecorderProcess.executable, ["config", "check", folder + "recorder.json5"])
        #expect(check.ending == .exited(0) && check.output.contains("fleet/acme/+/location/#"), "\(check)")
        let recorder = try await RecorderProcess(
            broker: """
                url: "mqtts://127.0.0.1:\(broker.peoplePort)", username: "archive",
                password_file: "\(folder)credentials/broker_password", tls: { ca_file: "\(folder)ca.crt" }
                """)
        let vehicle = try await ProvisionedVehicle(broker)
        let kinds = try await eventually { () -> Bool? in
            let kinds = try recorder.file.rows("SELECT DISTINCT kind FROM records ORDER BY kind")
            let reports = try recorder.file.rows(
                "SELECT count(*) FROM vehicles WHERE state = 'online' AND reported <> ''")
            return kinds == [["location"], ["timeline"]] && reports == [["1"]] ? true : nil
        }
        #expect(kinds != nil, "\(vehicle.child.errors) \(recorder.child.errors)")
    }

    @Test("The commands print a result, and end with the exit codes of sysexits.h")
    func commands() async throws {
        let folder = try TemporaryFolder()
        func run(_ arguments: String...) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
            try await ChildProcess.run(RecorderProcess.executable, arguments)
        }
        let right = try folder.write(
            "{ fleets: [\"acme\"], broker: { url: \"mqtts://broker.example\" }, database: { path: \"a.db\" } }",
            to: "right.json5")
        let wrong = try folder.write("{ fleets: [], broker: {} }", to: "wrong.json5")
        let check = try await run("config", "check", right)
        #expect(check.ending == .exited(0) && check.output.contains("fleet/acme/+/location/#"), "\(check)")
        let bad = try await run("config", "check", wrong)
        #expect(bad.ending == .exited(78) && bad.errors.split(separator: "\n").count == 2, "\(bad)")
        #expect(try await run("run", "--config", wrong).ending == .exited(78))
        #expect(try await run("run").ending == .exited(64))
        #expect(try await run("status", "--database", folder.file("none.db")).ending == .exited(66))
        #expect(try await run("status", "--database", right).ending == .exited(65))

        for arguments in [
            ["status", "--database", "postgresql://u:geheim@h/d"],
            ["status", "--database=postgresql://h/d?password=geheim"],
            ["latest", "--database", "postgres://u:geheim@h/d", "--nonsense"], ["latest", "postgres://u:geheim@h/d"],
            ["backup", "--database", "postgresql://u:geheim@h/d", "--output", "x"],
            ["erase", "--database", "postgresql://u:geh\u{1B}eim@h/d", "--device", "x"],
        ] {
            let ran = try await ChildProcess.run(RecorderProcess.executable, arguments)
            #expect(ran.ending != .exited(0) && !ran.errors.isEmpty, "\(arguments)")
            #expect(!(ran.output + ran.errors).contains("eim"), "\(ran.errors)")
        }
        #expect(try await run("status", "--database", "postgresql://u:p@h/d").errors.contains("use ~/.pgpass"))

        let schema = try await run("schema")
        #expect(schema.ending == .exited(0) && schema.output.contains("CREATE TABLE records"))
        let path = folder.file("new.db")
        try Connection<HarnessError>(path: path).execute(schema.output)
        let status = try await run("status", "--database", path)
        #expect(status.ending == .exited(0) && status.output.contains("records      0\n"), "\(status)")
        let json = try await run("status", "--database", path, "--json")
        #expect(json.ending == .exited(0) && json.output.contains("\"records\":0"), "\(json)")
        let latest = try await run("latest", "--database", path, "--fleet", "nope")
        #expect(latest.ending == .exited(65) && latest.errors.contains("the fleet nope has no vehicle"), "\(latest)")
        let device = try await run("backup", "--database", path, "--output", "/dev/full")
        #expect(device.ending == .exited(73) && device.errors.contains("no regular file"), "\(device)")
        let imported = try await run("import", folder.path, "--database", path, "--vehicle", "acme/van-7")
        #expect(imported.ending == .exited(66) && imported.errors.contains("this is a folder"), "\(imported)")
        #expect(try await run("--help").output.contains("SQLite"))
    }
}
