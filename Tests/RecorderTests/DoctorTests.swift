import Glibc
import Odograph
import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographOperator
import OdographSQLite
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("odograph-recorder doctor")
struct RecorderDoctorTests {
    /// Writes a configuration into the folder of a broker.
    private static func configuration(
        _ broker: MosquittoBroker, database: DatabaseLocation, keys: String = ""
    ) throws -> String {
        let place =
            switch database {
            case .file(let path): "path: \"\(path)\""
            case .server(let address): "url: \"\(address)\""
            }
        return try broker.folder.write(
            """
            { fleets: ["acme"], database: { \(place) }, \(keys)
              broker: { url: "mqtt://127.0.0.1:\(broker.port)", client_id: "recorder-test" } }
            """, to: "recorder.json5")
    }

    private static func check(_ configuration: String) async throws -> [Finding] {
        try await RecorderDoctor(configuration: configuration, waitSeconds: 10).runChecks { _ in }
    }

    /// Returns the texts of the findings about a subject with their levels.
    private static func texts(_ findings: [Finding], _ subject: String) -> [String] {
        findings.filter { $0.subject == subject }.map { "\($0.level.rawValue) \($0.text)" }
    }

    /// A vehicle that reads receipts, with a record.
    private static func messages() throws -> [Archive.Message] {
        [
            (van + "location", try Payloads.location(1)),
            (van + "reported", try Payloads.reported([], receipts: [])),
        ]
    }

    @Test("A recorder that records is well, and the doctor changes nothing of it", arguments: DatabaseKind.allCases)
    func well(kind: DatabaseKind) async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let folder = try TemporaryFolder()
        let server = try kind == .sqlite ? nil : await PostgreSQLServer(settings: ["fsync=on"])
        let location = DatabaseLocation(server?.address() ?? folder.file("recorder.db"))
        let database = try #require(location)
        let service = try RecorderService(
            broker: broker.port, path: kind == .sqlite ? database.description : nil,
            server: kind == .sqlite ? nil : database.description)
        try await service.start()
        for message in try Self.messages() {
            try await desk.publish(
                String(decoding: message.payload, as: UTF8.self), to: message.topic, isRetained: false)
        }
        let hasReceipt = try await eventually {
            let found = try await ChildProcess.run(
                "mosquitto_sub", ["-p", "\(broker.port)", "-t", van + "receipt/main", "-C", "1", "-W", "1"])
            return found.output.contains("database_id") ? true : nil
        }
        #expect(hasReceipt != nil, "\(service.log.lines)")
        let configuration = try Self.configuration(broker, database: database)
        let findings = try await Self.check(configuration)
        #expect(findings.filter { $0.level == .fail } == [])
        #expect(Self.texts(findings, "broker").first?.contains("MQTT 5, login accepted, QoS 2") == true)
        #expect(Self.texts(findings, "subscriptions") == ["ok 8 granted"])
        #expect(Self.texts(findings, "receipts") == ["ok this login can publish receipts in the fleet acme"])
        #expect(Self.texts(findings, "queue") == ["ok the broker keeps messages for a session whose client is away"])
        #expect(Self.texts(findings, "vehicles") == ["ok 1, each with records and the receipt that it reads"])
        let text = Self.texts(findings, "database").joined(separator: "\n")
        #expect(
            text.contains(kind == .sqlite ? "journal mode wal" : "schema \(RecorderSchema.version)")
                && !text.contains("no recorder writes"))
        // The recorder is still connected, and has not rejected the test message.
        #expect(service.log.lines.count { $0.contains("connected to the broker") } == 1, "\(service.log.lines)")
        try await service.stop()
        #expect(try RecorderStatus(of: database).rejected == 0)
        // The command has the form of the agent's.
        let ran = try await ChildProcess.run(
            BuiltProgram.path("odograph-recorder"), ["doctor", "--json", "-c", configuration])
        #expect(ran.ending == .exited(0) && ran.output.contains("\"subject\":\"database\""), "\(ran.output)")
    }

    @Test("A file with a damaged page is not well, also a restored backup", arguments: ["wal", "delete"])
    func damaged(journalMode: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("recorder.db")
        try RecordDatabase(path: path)
            .write(Archive.entries(try (1...500).map { (van + "location", try Payloads.location($0)) }))
        try Connection<HarnessError>(path: path).execute("PRAGMA journal_mode = \(journalMode)")
        let configuration = try RecorderConfiguration.load(
            folder.write(
                "{ fleets: [\"acme\"], database: { path: \"recorder.db\" }, broker: { url: \"mqtt://127.0.0.1:1\" } }",
                to: "recorder.json5"))
        func levels() -> [Finding.Level] { RecorderDatabaseCheck(configuration.recording).findings().map(\.level) }
        #expect(!levels().contains(.fail))
        var bytes = try FileContents.bytes(path)
        let page = 4096 * (bytes.count / 4096 / 2)
        bytes.replaceSubrange(page..<page + 4096, with: [UInt8](repeating: 0xA5, count: 4096))
        try folder.write(bytes, to: "recorder.db")
        let findings = RecorderDatabaseCheck(configuration.recording).findings()
        #expect(findings.contains { $0.level == .fail && "\($0.text)".contains("damaged") }, "\(findings)")
    }

    @Test("Vehicles without a record, without a receipt, and receipts of another database are named")
    func vehicles() async throws {
        let broker = try await MosquittoBroker()
        let archive = try await Archive.make(
            .sqlite,
            try Self.messages() + [
                ("fleet/acme/van-8/status", Payloads.status(.online, connection: 1)),
                ("fleet/acme/van-9/reported", Payloads.reported([], receipts: [])),
                ("fleet/acme/van-9/location", Payloads.location(1)),
            ])
        let desk = BrokerOperator(port: broker.port)
        let receipt = Receipt(databaseID: "other", revision: 1, interval: 600, epochs: [])
        try await desk.publish(try JSONCoder.string(of: receipt), to: van + "receipt/main")
        let configuration = try Self.configuration(
            broker, database: archive.location, keys: "backup: { required: true },")
        var findings = try await Self.check(configuration)
        #expect(Self.texts(findings, "vehicles") == ["warn without a record: acme/van-8"])
        #expect(
            Self.texts(findings, "receipts") == [
                "ok this login can publish receipts in the fleet acme",
                "warn another database has published under the name main: acme/van-7",
                "warn no receipt for vehicles that read them: acme/van-9",
            ])
        #expect(Self.texts(findings, "backup").first?.hasPrefix("warn required, but there is none") == true)
        try RecorderBackup.make(of: archive.location, at: archive.folder.file("copy.db"))
        findings = try await Self.check(configuration)
        #expect(Self.texts(findings, "backup").first?.hasPrefix("ok the newest is of 2") == true)
    }

    @Test("A broker that keeps nothing for a session whose client is away fails", arguments: ["5", "3.1.1"])
    func queue(version: String) async throws {
        // The broker accepts the message, and queues it for no session.
        let folder = try TemporaryFolder()
        let rules = """
            topic write fleet/acme/odograph-doctor-away/receipt/+
            topic readwrite fleet/acme/odograph-doctor/receipt/+
            topic read fleet/acme/+/status
            """
        try folder.write(rules + "\n", to: "rules")
        let broker = try await MosquittoBroker(configuration: "acl_file \(folder.file("rules"))", folder: folder)
        let path = try folder.write(
            """
            { fleets: ["acme"], database: { path: "recorder.db" },
              broker: { url: "mqtt://127.0.0.1:\(broker.port)", protocol: "\(version)" } }
            """, to: "recorder.json5")
        let findings = try await RecorderDoctor(configuration: path, waitSeconds: 3).runChecks { _ in }
        #expect(
            Self.texts(findings, "queue") == ["fail the broker keeps no message for a session whose client is away"],
            "\(findings)")
        #expect(Self.texts(findings, "receipts") == ["ok this login can publish receipts in the fleet acme"])
    }

    @Test("A login that may not read the topics or write receipts fails", arguments: ["5", "3.1.1"])
    func rights(version: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write("topic read fleet/#\n", to: "rules")
        let broker = try await MosquittoBroker(configuration: "acl_file \(folder.file("rules"))", folder: folder)
        let path = try folder.write(
            """
            { fleets: ["acme"], database: { path: "recorder.db" },
              broker: { url: "mqtt://127.0.0.1:\(broker.port)", protocol: "\(version)" } }
            """, to: "recorder.json5")
        let findings = try await RecorderDoctor(configuration: path, waitSeconds: 1).runChecks { _ in }
        let receipts = Self.texts(findings, "receipts")
        #expect(receipts.count == 1)
        #expect(receipts.first?.hasPrefix("fail the broker does not publish receipts of this login") == true)
        // There is no database yet.
        #expect(Self.texts(findings, "database").first?.hasSuffix("recorder.db can be created") == true)
        #expect(findings.hasFailures)
        let ran = try await ChildProcess.run(
            BuiltProgram.path("odograph-recorder"), ["doctor", "--wait", "1", "--config", path])
        #expect(ran.ending == .exited(1) && ran.output.contains("fail  receipts "), "\(ran.output)")
    }

    @Test("A missing broker, another program's file and a mistake in the configuration are failures with advice")
    func ill() async throws {
        let folder = try TemporaryFolder()
        try folder.write("This is no database.", to: "recorder.db")
        let path = try folder.write(
            """
            { fleets: ["acme"], database: { path: "recorder.db" },
              broker: { url: "mqtt://127.0.0.1:\(try FreePort.next())" } }
            """, to: "recorder.json5")
        let findings = try await Self.check(path)
        #expect(Self.texts(findings, "broker").first?.hasPrefix("fail ") == true)
        #expect(Self.texts(findings, "broker").first?.contains("nothing listens") == true)
        #expect(Self.texts(findings, "database").contains { $0.hasPrefix("fail ") })
        // The secrets of the service belong to its own configuration.
        let secret = try folder.write(
            """
            { fleets: ["acme"], database: { path: "recorder.db" },
              broker: { url: "mqtt://127.0.0.1:1", username: "a", password_file: "credential:a" } }
            """, to: "secret.json5")
        let ran = try await ChildProcess.run(BuiltProgram.path("odograph-recorder"), ["doctor", "-c", secret])
        #expect(ran.output.contains("password credential:a: only a service has credentials"), "\(ran.output)")
        #expect(!ran.output.contains("/run/credentials"), "\(ran.output)")
        let mistake = try await Self.check(try folder.write("{ fleet: 1 }", to: "wrong.json5"))
        #expect(mistake.first?.level == .fail && mistake.first?.subject == "configuration")
    }

    @Test("A server that cannot be reached, or does not wait for the disk, is a failure")
    func server() async throws {
        let broker = try await MosquittoBroker()
        let archive = try await Archive.make(.postgreSQL, try Self.messages())
        var findings = try await Self.check(try Self.configuration(broker, database: archive.location))
        #expect(Self.texts(findings, "database").contains { $0.contains("fsync is off") })
        let missing = "postgresql://recorder@127.0.0.1:\(try FreePort.next())/fleet"
        let location = try #require(DatabaseLocation(missing))
        findings = try await Self.check(try Self.configuration(broker, database: location))
        #expect(Self.texts(findings, "database").first?.contains("no connection to the database") == true)
        // A login without rights.
        try archive.database.records.connection.execute("CREATE ROLE stranger LOGIN")
        let reader = archive.location.description.replacing("recorder@", with: "stranger@")
        let other = try #require(DatabaseLocation(reader))
        findings = try await Self.check(try Self.configuration(broker, database: other))
        #expect(Self.texts(findings, "database").contains { $0.hasPrefix("fail ") })
        // A program that reads the table for long keeps the recorder from making a partition.
        let facts = try archive.serverFacts()
        #expect(
            facts.isRecording && facts.hasTables && facts.hasRights
                && facts.misplacedRecords == 0)
        let program = try archive.location.openForReading()
        #expect(try program.firstInteger("SELECT count(*) FROM records") == 1)
        let now = try Payloads.location(2, date: Timestamp.now.advanced(bySeconds: -1).iso8601)
        let entries = Archive.entries([(van + "location", now)]).map { BatchEntry($0.content, received: .now) }
        try archive.database.write(entries)
        #expect(try archive.serverFacts().misplacedRecords == 1)
        program.rollBack()
    }

    @Test("Each problem of a server has its finding")
    func serverFacts() {
        func finding(_ change: (inout ServerFacts) -> Void) -> [String] {
            var facts = ServerFacts()
            (facts.name, facts.version, facts.hasTables) = ("db", 150_008, true)
            change(&facts)
            return facts.findings.map { "\($0.level.rawValue) \($0.text)" }
        }
        #expect(
            finding { _ in } == [
                "ok db: PostgreSQL 15, schema \(RecorderSchema.version), 0 B, no recorder writes"
            ])
        #expect(finding { $0.version = 130_004 } == ["fail db: PostgreSQL 13 is too old"])
        #expect(finding { $0.isStandby = true } == ["fail db: the server is a standby, which cannot write"])
        #expect(finding { $0.isUTF8 = false } == ["fail db: the encoding is not UTF8"])
        #expect(finding { $0.hasRights = false } == ["fail db: this login does not own the tables"])
        #expect(
            finding { ($0.hasRights, $0.hasTables) = (false, false) } == [
                "fail db: this login cannot create the schema"
            ])
        #expect(finding { $0.writesFullPages = false }.first?.hasPrefix("warn db: full_page_writes is off") == true)
        #expect(finding { $0.clockDifference = -7 }.last == "warn db: the server's clock is 7 s behind this machine's")
    }

    @Test("A recorder that cannot write is idle, also while its service is active; one that waits for another is not")
    func idle() {
        let failures: [(DatabaseFailure, Bool)] = [
            (.unavailable(path: "db", detail: "no password"), true), (.full(path: "db", detail: "disk"), true),
            (.inUse(path: "db"), false),
        ]
        for (failure, isIdle) in failures {
            #expect(RecorderSupervisor.isIdle("waiting for the database: \(failure)") == isIdle)
            #expect(RecorderSupervisor.isIdle("\(FleetRecorder.withoutDatabase): \(failure)") == isIdle)
        }
        for line in ["recording", "no connection to the broker", ""] { #expect(!RecorderSupervisor.isIdle(line)) }
    }

    @Test("A database that cannot be opened is named with its owner and its mode")
    func owner() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("", to: "recorder.db", mode: 0o600)
        func text(_ path: String) -> String {
            "\(DatabaseFailure(SQLiteFailure(path: path, operation: "opening", code: 14, message: "unable to open")))"
        }
        let owner = try #require(getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) })
        #expect(text(path).contains("(unable to open, SQLite result 14, owner \(owner), mode 600)"), "\(text(path))")
        #expect(text(folder.file("none")).contains("(unable to open, SQLite result 14)"))
    }

    @Test("Without its service the doctor asks for no password")
    func stoppedService() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            { fleets: ["acme"], database: { path: "recorder.db" },
              broker: { url: "mqtt://127.0.0.1:1", username: "archive" } }
            """, to: "recorder.json5")
        var configuration = try RecorderConfiguration.load(path)
        configuration.recording.broker.credentialsFolder = "/run/credentials/odograph-of-a-test.service"
        let observation = await RecorderBrokerCheck(configuration, waitSeconds: 1).observe()
        #expect(observation.findings.map(\.advice) == ["start the service"], "\(observation.findings)")
    }
}
