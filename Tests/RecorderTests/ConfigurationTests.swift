import Glibc
import Odograph
import OdographHarness
import OdographLink
import Testing

@testable import OdographRecorder

@Suite("The recorder's configuration")
struct ConfigurationTests {
    private func load(_ text: String) throws -> RecorderConfiguration {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "recorder.json5")
        return try withExtendedLifetime(folder) { try RecorderConfiguration.load(path) }
    }

    @Test(
        "A mistake is reported with its place",
        arguments: [
            ("{ broker: { url: \"mqtt://127.0.0.1\" } }", "fleets"),
            ("{ fleets: [], broker: { url: \"mqtt://127.0.0.1\" } }", "fleets"),
            ("{ fleets: [\"a\", \"a\"], broker: { url: \"mqtt://127.0.0.1\" } }", "fleets"),
            ("{ fleets: [\"a/b\"], broker: { url: \"mqtt://127.0.0.1\" } }", "fleets"),
            ("{ fleets: [\"a\"], root: \"+\", broker: { url: \"mqtt://127.0.0.1\" } }", "root"),
            ("{ fleets: [\"a\"], name: \"a/b\", broker: { url: \"mqtt://127.0.0.1\" } }", "name"),
            ("{ fleets: [\"a\"], receipt_interval: 0, broker: { url: \"mqtt://127.0.0.1\" } }", "receipt_interval"),
            ("{ fleets: [\"a\"], backup: { required: 1 }, broker: { url: \"mqtt://127.0.0.1\" } }", "backup.required"),
            ("{ fleets: [\"a\"], history: { rows: 0 }, broker: { url: \"mqtt://127.0.0.1\" } }", "history.rows"),
            ("{ fleets: [\"a\"] }", "broker.url"),
            ("{ fleets: [\"a\"], broker: { url: \"mqtt://broker.example\" } }", "broker.url"),
            (
                "{ fleets: [\"a\"], broker: { url: \"mqtt://127.0.0.1\", maximum_in_flight: 5 } }",
                "broker.maximum_in_flight"
            ),
            ("{ fleets: [\"a\"], broker: { url: \"mqtt://127.0.0.1\", password: \"x\" } }", "broker.password"),
            ("{ fleets: [\"a\"], broker: { url: \"mqtt://127.0.0.1\" }, batch: { records: 0 } }", "batch.records"),
            ("{ fleets: [\"a\"], broker: { url: \"mqtt://127.0.0.1\" }, database: \"x\" }", "database"),
            ("{ fleets: [\"a\"], broker: { url: \"mqtt://127.0.0.1\" }, fleet: \"a\" }", "fleet"),
        ])
    func mistakes(text: String, path: String) throws {
        do {
            _ = try load(text)
            Issue.record("accepted")
        } catch let error as ConfigurationError {
            #expect(error.issues.map(\.path) == [path], "\(error)")
        }
    }

    @Test("The filters are those of all channels of records and reports, and of the own receipts, for each fleet")
    func filters() throws {
        let configuration = try load(
            "{ root: \"r\", fleets: [\"a\", \"b\"], name: \"s\", broker: { url: \"mqtt://127.0.0.1\" } }")
        #expect(
            configuration.recording.filters == [
                "r/a/+/location/#", "r/a/+/geofence/#", "r/a/+/timeline/#", "r/a/+/given_up", "r/a/+/batch",
                "r/a/+/status", "r/a/+/reported", "r/a/+/receipt/s",
                "r/b/+/location/#", "r/b/+/geofence/#", "r/b/+/timeline/#", "r/b/+/given_up", "r/b/+/batch",
                "r/b/+/status", "r/b/+/reported", "r/b/+/receipt/s",
            ])
    }

    @Test("Requests are subscribed to only if they are answered, in a session of their own that the broker forgets")
    func history() throws {
        let base = "{ root: \"r\", fleets: [\"a\", \"b\"], broker: { url: \"mqtt://127.0.0.1\", client_id: \"c\" }"
        #expect(try load(base + " }").historyFilters == [])
        let configuration = try load(base + ", history: { answer: true } }")
        #expect(configuration.historyFilters == ["r/history:a/+/request/+", "r/history:b/+/request/+"])
        let link = configuration.recording.historyLinkConfiguration(password: nil)
        #expect(link.clientID.utf8.count == 23)
        #expect(link.clientID != configuration.recording.historyLinkConfiguration(password: nil).clientID)
        #expect(link.cleanStart && link.sessionExpirySeconds == 0 && link.maximumIncomingBytes == 4096)
    }

    @Test("The client id is the configured one, or follows from the database's secret and place")
    func clientID() throws {
        let set = try load("{ fleets: [\"a\"], broker: { url: \"mqtt://127.0.0.1\", client_id: \"mine\" } }")
        #expect(RecorderClientIdentity(set.recording).clientID(secret: "s") == "mine")
        func id(_ host: String, _ location: DatabaseLocation, _ secret: String = "s") -> String {
            RecorderClientIdentity(configured: nil, host: host, location: location).clientID(secret: secret)
        }
        let identifiers = [("h", "/a"), ("h", "/b"), ("i", "/a"), ("h", "a")].map { id($0.0, .file(path: $0.1)) }
        #expect(Set(identifiers).count == 4 && identifiers.allSatisfy { $0.utf8.count == 23 })
        #expect(id("h", .file(path: "/a")) == identifiers[0])
        #expect(id("h", .file(path: "/a"), "t") != identifiers[0])
        // Two recorders of one server, of which one waits, use one session of the broker.
        let address = try #require(PostgreSQLAddress("postgresql://recorder@db.example/fleet"))
        let shared = ["h", "i"].map { id($0, .server(address)) }
        #expect(Set(shared).count == 1 && Set(identifiers).isDisjoint(with: shared))
    }

    @Test("The secret of the client id is random, stays with the database, and no file of it is for other users")
    func clientSecret() throws {
        let folder = try TemporaryFolder()
        let paths = ["a.db", "b.db"].map(folder.file)
        let secrets = try paths.map { try RecordDatabase(path: $0).clientSecret }
        #expect(Set(secrets).count == 2 && secrets.allSatisfy { $0.utf8.count == 32 })
        let again = try RecordDatabase(path: paths[0])
        #expect(again.clientSecret == secrets[0])
        for name in ["", "-wal", "-shm"] {
            var status = stat()
            #expect(stat(paths[0] + name, &status) == 0 && status.st_mode & 0o777 == 0o600, "\(name)")
        }
    }

    @Test("A server has the settings of a file")
    func serverSettings() throws {
        let server = try load(
            """
            { fleets: ["a"], broker: { url: "mqtt://127.0.0.1" }, database: { url: "postgresql://h/d" },
              retention: { days: 9 }, backup: { required: true }, history: { answer: true } }
            """)
        #expect(server.retentionDays == 9 && server.recording.receipts.requiresBackup && server.history.isAnswering)
    }

    @Test("The session is persistent")
    func client() throws {
        let link = try load("{ fleets: [\"a\"], broker: { url: \"mqtt://127.0.0.1\" } }")
            .recording.linkConfiguration(password: nil)
        #expect(!link.cleanStart && link.sessionExpirySeconds == 1_209_600)
        #expect(link.maximumIncomingBytes == 1 << 20)
    }

    private static let broker = "fleets: [\"a\"], broker: { url: \"mqtt://127.0.0.1\" }"

    private static let mail = "mail: { url: \"smtp://h\", from: \"a@b.example\""

    @Test(
        "A mistake in a rule, the relay or the metrics is reported with its place",
        arguments: [
            ("rules: {}", "rules"), ("rules: [1]", "rules[0]"),
            ("rules: [{ when: \"gap\", webhook: \"https://h\" }]", "rules[0].name"),
            ("rules: [{ name: \"a b\", when: \"gap\", webhook: \"https://h\" }]", "rules[0].name"),
            ("rules: [{ name: \"a\", webhook: \"https://h\" }]", "rules[0].when"),
            ("rules: [{ name: \"a\", when: \"x\", webhook: \"https://h\" }]", "rules[0].when"),
            ("rules: [{ name: \"a\", when: \"gap\" }]", "rules[0].webhook"),
            ("rules: [{ name: \"a\", when: \"gap\", webhook: \"https://h\", command: [\"/x\"] }]", "rules[0].webhook"),
            ("rules: [{ name: \"a\", when: \"gap\", webhook: \"http://h\" }]", "rules[0].webhook"),
            ("rules: [{ name: \"a\", when: \"gap\", webhook: \"https://u:p@h\" }]", "rules[0].webhook"),
            ("rules: [{ name: \"a\", when: \"gap\", command: [] }]", "rules[0].command"),
            ("rules: [{ name: \"a\", when: \"gap\", command: [\"x\"] }]", "rules[0].command"),
            ("rules: [{ name: \"a\", when: \"gap\", command: [\"/x\"], fleet: \"b\" }]", "rules[0].fleet"),
            ("rules: [{ name: \"a\", when: \"gap\", command: [\"/x\"], minutes: 0 }]", "rules[0].minutes"),
            ("rules: [{ name: \"a\", when: \"gap\", command: [\"/x\"], geofences: [\"d\"] }]", "rules[0].geofences"),
            ("rules: [{ name: \"a\", when: \"geofence\", command: [\"/x\"], end: true }]", "rules[0].end"),
            ("rules: [{ name: \"a\", when: \"geofence\", command: [\"/x\"], beacons: [\"t\"] }]", "rules[0].beacons"),
            ("rules: [{ name: \"a\", when: \"beacon\", command: [\"/x\"], events: [\"in\"] }]", "rules[0].events"),
            ("rules: [{ name: \"a\", when: \"geofence\", command: [\"/x\"], events: [\"in\"] }]", "rules[0].events"),
            ("rules: [{ name: \"a\", when: \"overspeed\", command: [\"/x\"], end: true }]", "rules[0].end"),
            (
                "rules: [{ name: \"a\", when: \"overspeed\", command: [\"/x\"], speed: 9, geofences: [\"d\"] }]",
                "rules[0].geofences"
            ),
            (
                "rules: [{ name: \"a\", when: \"gap\", command: [\"/x\"] }, "
                    + "{ name: \"a\", when: \"gap\", command: [\"/x\"] }]",
                "rules[1].name"
            ),
            ("rules: [{ name: \"a\", when: \"gap\", command: [\"/x\"], group: \"a b\" }]", "rules[0].group"),
            ("rules: [{ name: \"a\", when: \"gap\", command: [\"/x\"], during: \"* 25 * * *\" }]", "rules[0].during"),
            ("rules: [{ name: \"a\", when: \"gap\", command: [\"/x\"], days: 3 }]", "rules[0].days"),
            ("rules: [{ name: \"a\", when: \"service\", command: [\"/x\"] }]", "rules[0].every_km"),
            (
                "rules: [{ name: \"a\", when: \"service\", command: [\"/x\"], every_hours: 5, from_km: 3 }]",
                "rules[0].from_km"
            ),
            ("rules: [{ name: \"a\", when: \"gap\", email: [\"a@b.example\"] }]", "rules[0].email"),
            ("\(mail) }, rules: [{ name: \"a\", when: \"gap\", email: [\"x\"] }]", "rules[0].email"),
            ("mail: { url: \"smtp://h\" }", "mail.from"), ("mail: { url: \"http://h\" }", "mail.url"),
            ("\(mail), starttls: false }", "mail.starttls"), ("\(mail), username: \"u\" }", "mail.password_file"),
            ("\(mail), link: \"https://h/{x}\" }", "mail.link"), ("\(mail), password: \"p\" }", "mail.password"),
            ("traccar: { url: \"http://traccar.example:5055\" }", "traccar.url"),
            ("traccar: { url: \"https://h\", identifier: \"x\" }", "traccar.identifier"),
            ("metrics: { file: \"/x\", interval: 0 }", "metrics.interval"),
        ])
    func serviceMistakes(text: String, path: String) throws {
        #expect {
            try load("{ \(Self.broker), \(text) }")
        } throws: { error in
            (error as? ConfigurationError)?.issues.map(\.path) == [path]
        }
    }

    @Test("With several fleets, the relay must know the identifiers: their vehicles can have the same names")
    func identifiers() throws {
        let text = "{ fleets: [\"a\", \"b\"], broker: { url: \"mqtt://127.0.0.1\" }, traccar: { url: \"https://h\""
        #expect(throws: ConfigurationError.self) { try load(text + " } }") }
        #expect(try load(text + ", identifier: \"fleet-device\" } }").relay?.identifier == .fleetDevice)
    }

    @Test("A configuration file names the metrics, and the rules with their targets but without secrets")
    func services() throws {
        var configuration = try load(
            """
            { \(Self.broker), metrics: { file: "/m.prom", interval: 7 }, traccar: { url: "http://127.0.0.1:5055/x" },
              rules: [{ name: "n", when: "silent", minutes: 5,
                        webhook: "https://h.example/secret", token_file: "/t" }] }
            """)
        #expect(
            configuration.serviceLines
                == "metrics   /m.prom, every 7 s\nrule      n: silent, to https://h.example\n"
                + "relay     http://127.0.0.1:5055\n")
        configuration.setMetricsFile("/other.prom")
        #expect(configuration.metrics == MetricsSettings(path: "/other.prom", seconds: 7))
        #expect(configuration.rules.first?.condition == .silent(seconds: 300))
        #expect(configuration.secretFiles == [SecretFile(path: "/t", role: "token")])
    }
}
