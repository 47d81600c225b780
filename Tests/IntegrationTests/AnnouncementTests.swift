import OdographHarness
import Testing

/// Checks `fleet announce homeassistant` with a real broker. `Tests/HomeAssistant/check` does so with Home Assistant.
@Suite("The announcement of vehicles")
struct AnnouncementTests {
    private typealias Outcome = (ending: ChildProcess.Ending, output: String, errors: String)

    private static func status(version: String = "1.0", state: String = "online", reason: String = "connected")
        -> String
    {
        """
        {"device_id":"d","state":"\(state)","reason":"\(reason)","connection":1,"boot_id":"b","run_id":"r","version":"\(version)",\
        "timestamp":"2026-11-21T09:15:02.000Z"}
        """
    }

    private static func report(group: String) -> String {
        """
        {"device_id":"d","timestamp":"2026-11-21T09:15:02.000Z","agent_version":"1.0","groups":["\(group)"],"levels":[],\
        "errors":[],"configuration_hash":"h","within_schedule":true,"next_schedule_changes":[],\
        "tracking":{"enabled":true},"geofences":{"count":0,"hash":"","levels":[],"errors":[]},"ledger":[],\
        "queue":{"depth":0},"features":[]}
        """
    }

    private func announce(_ broker: MosquittoBroker, _ arguments: String...) async throws -> Outcome {
        try await ChildProcess.run(
            AgentProcess.executable,
            ["fleet", "announce", "homeassistant"] + arguments + [
                "--broker", "mqtt://127.0.0.1:\(broker.port)", "--fleet", "acme",
            ], seconds: 60)
    }

    /// Returns the topics of the retained documents below a prefix, sorted.
    private func documents(_ broker: MosquittoBroker, prefix: String = "homeassistant") async throws -> [String] {
        // The last message shows that all retained ones have arrived.
        try await BrokerOperator(port: broker.port).publish("end", to: "end")
        let listed = try await ChildProcess.run(
            "mosquitto_sub",
            ["-p", "\(broker.port)", "-t", "\(prefix)/#", "-t", "end", "--retained-only", "-W", "2", "-F", "%t"])
        return listed.output.split(separator: "\n").map(String.init).filter { $0 != "end" }.sorted()
    }

    private func topics(_ names: String...) -> [String] {
        names.map { "homeassistant/device/fleet-acme/\($0)/config" }
    }

    @Test("The documents are announced, updated, left alone and removed, and only those of the chosen vehicles")
    func life() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        for (name, group) in [("van-1", "vans"), ("van-2", "vans"), ("truck-1", "trucks")] {
            try await desk.publish(Self.status(), to: "fleet/acme/\(name)/status")
            try await desk.publish(Self.report(group: group), to: "fleet/acme/\(name)/reported")
        }
        let group = try await announce(broker, "--group", "vans")
        #expect(group.output == "van-1: announced\nvan-2: announced\n", "\(group.errors)")
        #expect(try await documents(broker) == topics("van-1", "van-2"))
        let all = try await announce(broker, "--json")
        let line = { (name: String, change: String) in
            "{\"change\":\"\(change)\",\"device\":\"\(name)\",\"topic\":\"\(self.topics(name)[0])\"}\n"
        }
        #expect(
            all.output == line("truck-1", "announced") + line("van-1", "unchanged") + line("van-2", "unchanged"),
            "\(all.errors)")
        // The agent of van-1 was updated.
        try await desk.publish("", to: "fleet/acme/van-1/reported")
        try await desk.publish(Self.status(version: "1.1"), to: "fleet/acme/van-1/status")
        #expect(try await announce(broker, "van-1").output == "van-1: updated\n")
        #expect(try await announce(broker, "--remove", "van-2").output == "van-2: removed\n")
        #expect(try await documents(broker) == topics("truck-1", "van-1"))
        // A vehicle that is no longer known can still have a document.
        try await desk.publish("", to: "fleet/acme/van-1/status")
        #expect(try await announce(broker, "--remove").output == "truck-1: removed\nvan-1: removed\n")
        #expect(try await documents(broker) == [])
        let again = try await announce(broker, "--remove")
        #expect(again.ending == .exited(69) && again.output.isEmpty, "\(again.errors)")
    }

    @Test("Nothing is published for names that are not known, and the prefix is checked")
    func unknown() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        try await desk.publish(Self.status(), to: "fleet/acme/van-1/status")
        // A name that no topic of an agent can have.
        try await desk.publish(Self.status(), to: "fleet/acme/van 9/status")
        for (arguments, code, words) in [
            (["van-1", "vna-1"], 69, "did you mean van-1?"), (["--group", "vans"], 69, "in the group vans"),
            (["--remove", "van-1"], 69, "no discovery document of van-1"), (["--prefix", "a/#"], 64, "cannot begin"),
            (["van-1", "--all"], 64, "Give vehicles"),
        ] as [([String], Int32, String)] {
            let ran = try await ChildProcess.run(
                AgentProcess.executable,
                ["fleet", "announce", "homeassistant"] + arguments + [
                    "--broker", "mqtt://127.0.0.1:\(broker.port)", "--fleet", "acme",
                ], seconds: 60)
            #expect(ran.ending == .exited(code) && ran.errors.contains(words), "\(arguments): \(ran.errors)")
            #expect(ran.output.isEmpty)
        }
        #expect(try await documents(broker) == [])
        #expect(try await announce(broker, "--prefix", "ha/x").output == "van-1: announced\n")
        #expect(try await documents(broker, prefix: "ha") == ["ha/x/device/fleet-acme/van-1/config"])
    }

    @Test("A forgotten vehicle has no document, whatever its prefix, and those of others stay")
    func forgotten() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        for name in ["van-1", "van-2"] {
            try await desk.publish(
                Self.status(state: "offline", reason: "stopped"), to: "fleet/acme/\(name)/status")
        }
        for prefix in ["homeassistant", "ha"] {
            #expect(try await announce(broker, "--prefix", prefix).ending == .exited(0))
        }
        let ran = try await ChildProcess.run(
            AgentProcess.executable,
            ["fleet", "forget", "van-1", "--broker", "mqtt://127.0.0.1:\(broker.port)", "--fleet", "acme"], seconds: 60)
        let removed = ["fleet/acme/van-1/status", "ha/device/fleet-acme/van-1/config"] + topics("van-1")
        #expect(ran.output == removed.map { "\($0): removed\n" }.joined(), "\(ran.errors)")
        #expect(try await documents(broker) == topics("van-2"))
        #expect(try await documents(broker, prefix: "ha") == ["ha/device/fleet-acme/van-2/config"])
    }

    @Test("Operators may announce the vehicles of their fleet, and Home Assistant reads only what it needs")
    func access() async throws {
        let broker = try await SecuredBroker(people: [
            "ann": "dashboard", "bob": "operator", "eve": "administrator", "home": "homeassistant",
        ])
        let vehicle = SecuredBroker.Client.vehicle("van-7")
        #expect(try await broker.publish(Self.status(), to: "fleet/acme/van-7/status", as: vehicle))
        let password = try broker.folder.write(SecuredBroker.password + "\n", to: "password", mode: 0o600)
        for (name, code, output) in [
            ("ann", 77, ""), ("home", 77, ""), ("bob", 0, "van-7: announced\n"), ("eve", 0, "van-7: unchanged\n"),
        ] as [(String, Int32, String)] {
            let ran = try await ChildProcess.run(
                AgentProcess.executable,
                [
                    "fleet", "announce", "homeassistant", "van-7", "--broker",
                    "mqtts://127.0.0.1:\(broker.peoplePort)", "--fleet", "acme", "--username", name,
                    "--password-file", password, "--ca-file", broker.folder.file("fleet/broker/ca.crt"),
                ], seconds: 60)
            #expect(ran.ending == .exited(code) && ran.output == output, "\(name): \(ran.ending) \(ran.errors)")
        }
        let topic = topics("van-7")[0]
        for (other, who) in [
            ("homeassistant/device/fleet-other/van-7/config", "bob"), ("homeassistant/sensor/x/config", "bob"),
            (topic, "ann"), (topic, "home"), ("fleet/acme/van-7/command", "home"), ("fleet/acme/all/config", "home"),
        ] {
            #expect(try await !broker.publish("forged", to: other, as: .person(who)), "\(other) \(who)")
        }
        #expect(try await !broker.publish("forged", to: topic, as: vehicle))
        #expect(try await broker.publish("online", to: "homeassistant/status", as: .person("home")))
        let listening = try await broker.listen(to: ["#"], as: .person("home"))
        for channel in ["reported", "timeline", "geofence", "location/backlog", "given_up", "batch", "location"] {
            #expect(try await broker.publish("of \(channel)", to: "fleet/acme/van-7/\(channel)", as: vehicle))
        }
        let heard = try await eventually { listening.output.contains("location of location") ? true : nil }
        #expect(heard != nil, "\(listening.output)")
        let lines = listening.output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
        let received = Set(lines.filter { $0.contains("/") })
        #expect(
            received == [topic, "homeassistant/status", "fleet/acme/van-7/status", "fleet/acme/van-7/location"],
            "\(listening.output)")
    }
}
