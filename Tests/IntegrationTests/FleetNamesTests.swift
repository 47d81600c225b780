import OdographHarness
import Testing

@Suite("What the operator's commands say about names, other operators and retired vehicles")
struct FleetNamesTests {
    private static let geofenceReport = """
        {"device_id":"van-7","timestamp":"2026-11-21T09:15:02.000Z","agent_version":"1","groups":["vans"],"levels":[],\
        "errors":[],"configuration":{"tracking":{}},"configuration_hash":"HASH","within_schedule":true,\
        "next_schedule_changes":[],"tracking":{"enabled":true},\
        "geofences":{"count":1,"hash":"0123456789abcdef",\
        "levels":[{"level":"all","hash":"HASH","applied":true,"count":1,"error_count":1,"single_count":0}],\
        "errors":[{"topic":"fleet/acme/all/geofences","identifier":"school","path":"features[1].properties.radius",\
        "line":1,"value":"1","message":"must be at least 5"}]},\
        "ledger":[],"queue":{"depth":27},"features":[]}
        """.replacing("HASH", with: String(repeating: "0", count: 64))

    private static func status(_ state: String = "online", _ reason: String = "connected") -> String {
        """
        {"device_id":"d","state":"\(state)","reason":"\(reason)","connection":1,"boot_id":"b","run_id":"r","version":"1",\
        "timestamp":"2026-11-21T09:15:02.000Z"}
        """
    }

    private static func arguments(_ broker: MosquittoBroker, _ arguments: [String], fleet: String = "acme") -> [String]
    {
        ["fleet"] + arguments + ["--broker", "mqtt://127.0.0.1:\(broker.port)", "--fleet", fleet]
    }

    private func fleet(
        _ broker: MosquittoBroker, _ arguments: [String], fleet: String = "acme"
    ) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
        try await ChildProcess.run(
            AgentProcess.executable, Self.arguments(broker, arguments, fleet: fleet), seconds: 60)
    }

    @Test("An operator whose document is replaced is told by whom")
    func replaced() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        // The vehicle is online and never reports, so both wait.
        try await BrokerOperator(port: broker.port).publish(Self.status(), to: "fleet/acme/van-7/status")
        let one = try folder.write("{ version: 'one' }", to: "one.json5")
        let two = try folder.write("{ version: 'two' }", to: "two.json5")
        let first = try ChildProcess(
            AgentProcess.executable, Self.arguments(broker, ["config", "set", one, "--all", "--username", "ann"]))
        _ = try await eventually { first.errors.contains("published, waiting") ? true : nil }
        let second = try await fleet(broker, ["config", "set", two, "--all", "--timeout", "1", "--username", "bob"])
        #expect(second.ending == .exited(69), "\(second.errors)")
        #expect(try await first.wait(seconds: 300) == .exited(1))
        #expect(first.errors.contains("the broker now retains version two (#"), "\(first.errors)")
        #expect(first.errors.contains(" from bob@"), "\(first.errors)")
        #expect(!second.errors.contains("now retains"), "\(second.errors)")
    }

    @Test("Of two operators who act 50 ms apart, the loser reads who replaced the document", arguments: 0..<3)
    func together(round: Int) async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        // The vehicle is online and never reports, so both wait.
        try await BrokerOperator(port: broker.port).publish(Self.status(), to: "fleet/acme/van-7/status")
        func operate(_ name: String) throws -> ChildProcess {
            let file = try folder.write("{ version: 'of \(name)' }", to: "\(name).json5")
            return try ChildProcess(
                AgentProcess.executable,
                Self.arguments(broker, ["config", "set", file, "--all", "--timeout", "20", "--username", name]),
                environment: ["XDG_STATE_HOME": folder.file("state")])
        }
        let ann = try operate("ann")
        // The distance is the subject of the test, and not a wait for a condition.
        try await Task.sleep(for: .milliseconds(50))
        let bob = try operate("bob")
        let endings = (ann: try await ann.wait(seconds: 300), bob: try await bob.wait(seconds: 300))
        // Either one can be the last at the broker.
        let isAnnLast = endings.ann == .exited(69)
        let (winner, loser) = isAnnLast ? (ann, bob) : (bob, ann)
        #expect(
            isAnnLast ? endings.bob == .exited(1) : endings.ann == .exited(1) && endings.bob == .exited(69),
            "\(ann.errors) \(bob.errors)")
        let name = isAnnLast ? "ann" : "bob"
        #expect(loser.errors.contains("the broker now retains version of \(name) (#"), "\(loser.errors)")
        #expect(loser.errors.contains(" from \(name)@"), "\(loser.errors)")
        #expect(!winner.errors.contains("now retains"), "\(winner.errors)")
        let retained = try await ChildProcess.run(
            "mosquitto_sub", ["-p", "\(broker.port)", "-t", "fleet/acme/all/config", "-C", "1"])
        #expect(retained.output.contains("of \(name)"), "\(retained.output)")
    }

    @Test("Nothing is published for a wrong name, and the similar name is suggested")
    func wrongName() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        let subscriber = try await Subscriber(port: broker.port)
        let desk = BrokerOperator(port: broker.port)
        try await desk.publish(Self.status(), to: "fleet/acme/van-7/status")
        try await desk.publish(Self.geofenceReport, to: "fleet/acme/van-7/reported")
        let file = try folder.write("{ version: '1' }", to: "one.json5")
        let fences = try folder.write("{\"type\":\"FeatureCollection\",\"features\":[]}", to: "fences.geojson")
        for (arguments, name, words) in [
            (["config", "set", file, "--group", "vnas"], "acme", "did you mean vans?"),
            (["config", "set", file, "--device", "vna-7"], "acme", "did you mean van-7?"),
            (["geofences", "push", fences, "--group", "lorries"], "acme", "the known groups are vans"),
            (["config", "set", file, "--all"], "acne", "did you mean acme?"),
            (["status", "--once"], "acne", "did you mean acme?"),
            (["status", "--json"], "acne", "did you mean acme?"),
        ] {
            let ran = try await fleet(broker, arguments, fleet: name)
            #expect(ran.ending == .exited(69), "\(arguments): \(ran.errors)")
            #expect(ran.errors.contains(words), "\(ran.errors)")
            #expect(ran.output.isEmpty)
        }
        #expect(!subscriber.messages.contains { $0.topic.hasSuffix("/config") || $0.topic.hasSuffix("/geofences") })
        let forced = try await fleet(broker, ["config", "set", file, "--group", "vnas", "--force", "--timeout", "1"])
        #expect(forced.ending == .exited(0), "\(forced.errors)")
        #expect(subscriber.messages.contains { $0.topic == "fleet/acme/group:vnas/config" })
        // A stray document can be removed without --force.
        let empty = try folder.write("", to: "empty.json5")
        let removal = ["config", "set", empty, "--group", "vnas", "--timeout", "1", "--yes"]
        let removed = try await fleet(broker, removal)
        #expect(removed.ending == .exited(0), "\(removed.errors)")
        // A wrong name has none to remove.
        let missing = try await fleet(broker, removal)
        #expect(missing.ending == .exited(69) && missing.errors.contains("did you mean vans?"), "\(missing.errors)")
    }

    @Test("A rejected geofence is shown by status and by config show")
    func rejectedGeofence() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        try await desk.publish(Self.status(), to: "fleet/acme/van-7/status")
        try await desk.publish(Self.geofenceReport, to: "fleet/acme/van-7/reported")
        let words = "all/geofences: school, features[1].properties.radius: must be at least 5 (found 1)"
        let status = try await fleet(broker, ["status", "--once"])
        #expect(status.output.contains("refused by van-7: \(words)\n"), "\(status.output)")
        #expect(status.output.contains("1 refused"), "\(status.output)")
        let json = try await fleet(broker, ["status", "--json"])
        #expect(json.output.contains("\"identifier\":\"school\""), "\(json.output)")
        let show = try await fleet(broker, ["config", "show", "--device", "van-7"])
        #expect(show.output.contains("refused: fleet/acme/\(words)\n"), "\(show.output)")
        #expect(show.output.contains("all: 1 geofence in force, 1 refused\n"), "\(show.output)")
    }

    @Test("A retired vehicle is removed from the broker, and one that is online is not")
    func forgotten() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        try await desk.publish(Self.status("offline", "stopped"), to: "fleet/acme/van-7/status")
        try await desk.publish(Self.geofenceReport, to: "fleet/acme/van-7/reported")
        try await desk.publish("{}", to: "fleet/acme/van-7/config")
        try await desk.publish("null", to: "fleet/acme/van-7/geofences/school")
        try await desk.publish(Self.status(), to: "fleet/acme/van-8/status")
        let online = try await fleet(broker, ["forget", "van-8"])
        #expect(online.ending == .exited(75), "\(online.errors)")
        let wrong = try await fleet(broker, ["forget", "vna-7"])
        #expect(wrong.ending == .exited(69), "\(wrong.errors)")
        #expect(wrong.errors.contains("did you mean van-7?"), "\(wrong.errors)")
        let forgotten = try await fleet(broker, ["forget", "van-7"])
        #expect(forgotten.ending == .exited(0), "\(forgotten.errors)")
        let topics = ["config", "geofences/school", "reported", "status"].map { "fleet/acme/van-7/\($0)" }
        #expect(forgotten.output == topics.map { "\($0): removed\n" }.joined())
        let status = try await fleet(broker, ["status", "--once"])
        #expect(status.output.contains("van-8") && !status.output.contains("van-7"), "\(status.output)")
    }

    @Test("With a database, a retired vehicle is erased there, too")
    func erased() async throws {
        let broker = try await MosquittoBroker()
        let recorder = try await RecorderProcess(port: broker.port)
        let desk = BrokerOperator(port: broker.port)
        try await desk.publish(Self.status("offline", "stopped"), to: "fleet/acme/van-7/status")
        let sql = "SELECT count(*) FROM vehicles WHERE device = 'van-7' AND last_seen IS NOT NULL"
        let isStored = try await eventually { try recorder.file.rows(sql) == [["1"]] ? true : nil }
        #expect(isStored == true, "\(recorder.child.errors)")
        // The recorder publishes its receipt as soon as somebody deletes it.
        let receipt = "fleet/acme/van-7/receipt/main"
        let subscriber = try await Subscriber(port: broker.port, topics: [receipt])
        try await desk.publish(
            Self.geofenceReport.replacing("\"features\":[]", with: "\"features\":[\"receipts\"]"),
            to: "fleet/acme/van-7/reported")
        func receipts() -> Int { subscriber.messages.count { $0.topic == receipt && !$0.payload.isEmpty } }
        #expect(try await eventually { receipts() > 0 ? true : nil } == true, "\(recorder.child.errors)")
        let before = receipts()
        #expect(try await fleet(broker, ["forget", "van-7"]).ending == .exited(0))
        // The recorder publishes at most one receipt of a vehicle in ten seconds, so it can come after the command.
        #expect(try await eventually { receipts() > before ? true : nil } == true, "\(recorder.child.errors)")
        let forgotten = try await fleet(broker, ["forget", "van-7", "--database", recorder.file.path])
        #expect(forgotten.ending == .exited(0), "\(forgotten.errors)")
        #expect(forgotten.output.contains("acme/van-7: 0 positions"), "\(forgotten.output)")
    }
}
