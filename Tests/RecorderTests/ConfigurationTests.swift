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
            ("{ fleets: [\"a\"], store: \"a/b\", broker: { url: \"mqtt://127.0.0.1\" } }", "store"),
            ("{ fleets: [\"a\"], receipt_interval: 0, broker: { url: \"mqtt://127.0.0.1\" } }", "receipt_interval"),
            ("{ fleets: [\"a\"], backup: { required: 1 }, broker: { url: \"mqtt://127.0.0.1\" } }", "backup.required"),
            ("{ fleets: [\"a\"], history: { rows: 0 }, broker: { url: \"mqtt://127.0.0.1\" } }", "history.rows"),
            ("{ fleets: [\"a\"] }", "broker.url"),
            ("{ fleets: [\"a\"], broker: { url: \"mqtt://broker.example\" } }", "broker.url"),
            ("{ fleets: [\"a\"], broker: { url: \"mqtt://127.0.0.1\", window: 5 } }", "broker.window"),
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
            "{ root: \"r\", fleets: [\"a\", \"b\"], store: \"s\", broker: { url: \"mqtt://127.0.0.1\" } }")
        #expect(
            configuration.filters == [
                "r/a/+/location/#", "r/a/+/geofence/#", "r/a/+/timeline/#", "r/a/+/given_up/#", "r/a/+/status",
                "r/a/+/reported", "r/a/+/receipt/s",
                "r/b/+/location/#", "r/b/+/geofence/#", "r/b/+/timeline/#", "r/b/+/given_up/#", "r/b/+/status",
                "r/b/+/reported", "r/b/+/receipt/s",
            ])
    }

    @Test("Requests are subscribed to only if they are answered, in a session of their own that the broker forgets")
    func history() throws {
        let base = "{ root: \"r\", fleets: [\"a\", \"b\"], broker: { url: \"mqtt://127.0.0.1\", client_id: \"c\" }"
        #expect(try load(base + " }").historyFilters == [])
        let configuration = try load(base + ", history: { answer: true } }")
        #expect(configuration.historyFilters == ["r/history:a/+/request/+", "r/history:b/+/request/+"])
        #expect(
            configuration.historyClientID.utf8.count == 22 && configuration.historyClientID != configuration.clientID)
        let link = configuration.historyLinkConfiguration(password: nil)
        #expect(link.cleanStart && link.sessionExpirySeconds == 0 && link.maximumIncomingBytes == 4096)
    }

    @Test("The client id is the configured one, or follows from the machine and the database")
    func clientID() throws {
        let set = try load("{ fleets: [\"a\"], broker: { url: \"mqtt://127.0.0.1\", client_id: \"mine\" } }")
        #expect(set.clientID == "mine")
        let unset = try load(
            "{ fleets: [\"a\"], broker: { url: \"mqtt://127.0.0.1\" }, database: { path: \"/x/a.db\" } }")
        #expect(unset.clientID == unset.clientID && unset.clientID.utf8.count == 23)
        let identifiers = [("h", "/a"), ("h", "/b"), ("i", "/a"), ("h", "a")].map {
            RecorderConfiguration.derivedClientID(host: $0.0, location: .file(path: $0.1))
        }
        #expect(Set(identifiers).count == 4)
        // Two recorders of one server, of which one waits, use one session of the broker.
        let address = try #require(PostgreSQLAddress("postgresql://recorder@db.example/fleet"))
        let shared = ["h", "i"].map { RecorderConfiguration.derivedClientID(host: $0, location: .server(address)) }
        #expect(Set(shared).count == 1 && Set(identifiers).isDisjoint(with: shared))
    }

    @Test("A server has the settings of a file")
    func serverSettings() throws {
        let server = try load(
            """
            { fleets: ["a"], broker: { url: "mqtt://127.0.0.1" }, database: { url: "postgresql://h/d" },
              retention: { days: 9 }, backup: { required: true }, history: { answer: true } }
            """)
        #expect(server.retentionDays == 9 && server.receipts.requiresBackup && server.history.isAnswering)
    }

    @Test("The session is persistent")
    func session() throws {
        let link = try load("{ fleets: [\"a\"], broker: { url: \"mqtt://127.0.0.1\" } }")
            .linkConfiguration(password: nil)
        #expect(!link.cleanStart && link.sessionExpirySeconds == 1_209_600)
        #expect(link.maximumIncomingBytes == 1 << 20)
    }
}
