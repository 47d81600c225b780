import OdographHarness
import Testing

/// Checks with the real broker, the rules of `provision` and the real program, who can ask about the past and who can
/// read the answers.
@Suite("Access to the past")
struct HistoryAccessTests {
    private static let request = #"{"kind":"latest"}"#

    /// Publishes a request.
    /// - Returns: Whether the broker accepted it.
    private func ask(
        _ broker: SecuredBroker, _ topic: String, as client: SecuredBroker.Client, payload: String = request
    ) async throws -> Bool {
        let ran = try await ChildProcess.run(
            "mosquitto_pub", broker.arguments(client) + ["-t", topic, "-m", payload, "-d"])
        guard ran.output.contains("PUBACK") else { throw HarnessError("no answer: \(ran.output) \(ran.errors)") }
        return !ran.errors.contains("Not authorized")
    }

    /// Starts the recorder with the configuration that `provision recorder` has written, with the test's port and
    /// files.
    private func recorder(_ broker: SecuredBroker) async throws -> RecorderProcess {
        let folder = broker.folder.file("fleet/recorders/archive/")
        return try await RecorderProcess(
            broker: """
                url: "mqtts://127.0.0.1:\(broker.peoplePort)", username: "archive",
                password_file: "\(folder)credentials/broker_password", tls: { ca_file: "\(folder)ca.crt" }
                """, keys: "history: { answer: true }")
    }

    @Test(
        "A person gets answers to the own questions, and nobody else reads questions or answers, or asks in this name")
    func persons() async throws {
        let broker = try await SecuredBroker(
            vehicles: [["van-7"], ["history"]], people: ["ann": "dashboard", "bob": "operator"], recorders: ["archive"])
        let written = try broker.folder.read("fleet/recorders/archive/recorder.json5")
        #expect(written.contains("history: { answer: true }"))
        let recorder = try await recorder(broker)
        let vehicle = try await ProvisionedVehicle(broker)
        let everything = ["#", "fleet/#", "fleet/acme/#", "fleet/history:acme/#", "fleet/+/+/+/+"]
        let ann = try await broker.listen(to: everything, as: .person("ann"))
        let bob = try await broker.listen(to: everything, as: .person("bob"))
        let van = try await broker.listen(to: everything, as: .vehicle("van-7"))
        let named = try await broker.listen(to: everything, as: .vehicle("history"))

        #expect(try await eventually { try recorder.count() >= 1 ? true : nil } != nil, "\(vehicle.child.errors)")
        // The recorder subscribes after its connection: a repeated question shows that it has.
        let isAnswered = try await eventually { () -> Bool? in
            let accepted = try await ask(broker, "fleet/history:acme/ann/request/secret", as: .person("ann"))
            #expect(accepted)
            return ann.output.contains("fleet/history:acme/ann/answer/secret {") ? true : nil
        }
        #expect(isAnswered != nil, "\(recorder.child.errors)")
        #expect(ann.output.contains(#""device":"van-7""#), "\(ann.output)")
        // The operator gets answers too, but not those of another person.
        #expect(try await ask(broker, "fleet/history:acme/bob/request/own", as: .person("bob")))
        #expect(try await eventually { bob.output.contains("history:acme/bob/answer/own {") ? true : nil } != nil)

        for (topic, client) in [
            ("fleet/history:acme/ann/request/forged", SecuredBroker.Client.person("bob")),
            ("fleet/history:acme/ann/answer/forged", .person("bob")),
            ("fleet/history:acme/ann/answer/forged", .person("ann")),
            ("fleet/history:acme/ann/request/forged", .vehicle("van-7")),
            ("fleet/history:acme/van-7/request/forged", .vehicle("van-7")),
            ("fleet/history:acme/history/request/forged", .vehicle("history")),
            ("fleet/history:acme/ann/answer/forged", .vehicle("van-7")),
        ] {
            #expect(try await !ask(broker, topic, as: client), "\(topic) \(client)")
        }
        // The response topic of a question is checked by the recorder, which may publish more than the person.
        let foreign = try await ChildProcess.run(
            "mosquitto_pub",
            broker.arguments(.person("bob")) + [
                "-t", "fleet/history:acme/bob/request/steal", "-m", Self.request, "-D", "PUBLISH", "response-topic",
                "fleet/history:acme/ann/answer/steal",
            ])
        #expect(foreign.ending == .exited(0))
        #expect(try await eventually { bob.output.contains("history:acme/bob/answer/steal {") ? true : nil } != nil)

        // Everything above has been delivered: this is published after it, to all of them.
        #expect(try await broker.publish("{ version: \"9\" }", to: "fleet/acme/all/config", as: .person("bob")))
        for child in [ann, bob, van, named] {
            #expect(try await eventually { child.output.contains("fleet/acme/all/config") ? true : nil } != nil)
        }
        func topics(_ child: ChildProcess) -> Set<String> {
            Set(
                child.output.split(separator: "\n").filter { $0.hasPrefix("fleet/history:") }.map {
                    String($0.prefix { $0 != " " })
                })
        }
        #expect(topics(ann) == ["fleet/history:acme/ann/answer/secret"])
        #expect(topics(bob) == ["fleet/history:acme/bob/answer/own", "fleet/history:acme/bob/answer/steal"])
        #expect(topics(van) == [] && topics(named) == [])
        let log = try recorder.file.rows("SELECT DISTINCT person, request, outcome FROM requests ORDER BY 1, 2")
        #expect(
            log == [["ann", "secret", "answered"], ["bob", "own", "answered"], ["bob", "steal", "refused"]], "\(log)")
        #expect(try await recorder.stop() == .exited(0))
    }

    @Test("The example of the consumer's guide prints a track over MQTT 5")
    func example() async throws {
        let path = Corpora.projectRoot + "/config/ask.py"
        let broker = try await SecuredBroker(people: ["ann": "dashboard"], recorders: ["archive"])
        let recorder = try await recorder(broker)
        let vehicle = try await ProvisionedVehicle(broker)
        let password = try broker.folder.write(SecuredBroker.password + "\n", to: "password", mode: 0o600)
        let stored = try await eventually { try recorder.count() >= 3 ? true : nil }
        #expect(stored != nil, "\(vehicle.child.errors)")
        let ran = try await ChildProcess.run(
            "/usr/bin/python3",
            [
                path, "127.0.0.1", "\(broker.peoplePort)", "fleet", "acme", "ann", password,
                broker.folder.file("fleet/broker/ca.crt"),
                #"{"kind":"track","device":"van-7","from":"2000-01-01T00:00:00Z","to":"2000-01-02T00:00:00Z"}"#,
            ], seconds: 60)
        #expect(ran.ending == .exited(0), "\(ran.errors) \(recorder.child.errors)")
        let day = try #require(try recorder.file.rows("SELECT substr(min(time), 1, 10) FROM records").first?.first)
        let next = try await ChildProcess.run(
            "/usr/bin/python3",
            [
                path, "127.0.0.1", "\(broker.peoplePort)", "fleet", "acme", "ann", password,
                broker.folder.file("fleet/broker/ca.crt"),
                """
                {"kind":"track","device":"van-7","from":"\(day)T00:00:00Z","to":"\(day)T23:59:59.999Z","limit":2}
                """,
            ], seconds: 60)
        #expect(
            next.ending == .exited(0) && next.output.split(separator: "\n").count >= 2, "\(next.output) \(next.errors)")
        #expect(next.output.split(separator: "\n").allSatisfy { $0.contains("latitude") }, "\(next.output)")
        let refused = try await ChildProcess.run(
            "/usr/bin/python3",
            [
                path, "127.0.0.1", "\(broker.peoplePort)", "fleet", "acme", "ann", password,
                broker.folder.file("fleet/broker/ca.crt"), #"{"kind":"track"}"#,
            ], seconds: 60)
        #expect(refused.ending == .exited(1) && refused.errors.contains("device is missing"), "\(refused)")
        #expect(try await recorder.stop() == .exited(0))
    }
}
