import FoundationEssentials
import Glibc
import OdographHarness
import OdographJSON
import Testing
import OdographWire

@testable import Odograph
@testable import OdographOperator

/// Runs each command with hostile data from a vehicle, from an agent and from files.
@Suite("The output of the commands for hostile data")
struct TerminalOutputTests {
    private typealias Outcome = (ending: ChildProcess.Ending, output: String, errors: String)

    /// Runs a command, checks all its output, and expects that the output contains hostile data.
    /// - Parameters:
    ///   - isTold: Whether the output must contain hostile data.
    ///   - mayBreakLines: Whether the data may begin lines.
    @discardableResult
    private func run(
        _ arguments: [String], isTold: Bool = true, mayBreakLines: Bool = false
    ) async throws -> Outcome {
        let ran = try await ChildProcess.run(AgentProcess.executable, arguments, seconds: 300)
        let printed = ran.output + ran.errors
        for text in [ran.output, ran.errors] {
            let faults = HostileData.faults(in: text).filter { !mayBreakLines || $0.hasPrefix("U+") }
            #expect(faults == [], "\(arguments)")
        }
        #expect(printed.contains("\u{FFFD}") || printed.contains("\\u001b") || !isTold, "\(arguments): \(printed)")
        return ran
    }

    /// The help of the program, which lists its commands.
    private struct Listing: Decodable {
        struct Command: Decodable {
            var commandName: String
            var subcommands: [Command]?

            var leaves: [String] {
                let below = (subcommands ?? []).filter { $0.commandName != "help" }
                return below.isEmpty ? [commandName] : below.flatMap { $0.leaves.map { "\(commandName) \($0)" } }
            }
        }
        var command: Command
    }

    @Test("Every command has a test")
    func all() async throws {
        let listed = try await ChildProcess.run(AgentProcess.executable, ["--experimental-dump-help"])
        let listing = try JSONDecoder().decode(Listing.self, from: Data(listed.output.utf8))
        let tested = [
            "run", "replay", "simulate", "analyze", "status", "locations", "timeline", "odometer show", "odometer set",
            "geofences list", "geofences check", "geofences locate", "config check", "config show", "doctor",
            "schedule", "set driver", "set tag", "set signals", "set extras",
            "fleet config set", "fleet config show", "fleet config history", "fleet config rollback",
            "fleet geofences push", "fleet geofences add", "fleet geofences remove", "fleet geofences diff",
            "fleet geofences show", "fleet geofences pull", "fleet geofences history", "fleet geofences rollback",
            "fleet status", "fleet locate", "fleet timeline", "fleet groups",
            "fleet command", "fleet announce homeassistant", "fleet forget",
        ]
        #expect(Set(listing.command.leaves) == Set(tested.map { "odograph \($0)" }))
    }

    // MARK: The agent of this machine

    private static let location = """
        {"uuid":"46b165f0-9c1e-8a3d-b0c5-0f2f6f0a9d11","epoch":1,"seq":1,"timestamp":"2026-11-21T09:15:02.000Z","age":0,
         "event":"geofence","is_moving":true,"sample":false,"mock":false,"odometer":1,"odometer_error":1,
         "coords":{"latitude":40,"longitude":-3,"accuracy":4,"speed":13,"heading":271},
         "activity":{"type":"in_vehicle","confidence":96},"extras":{"driver":"42"},
         "geofence":{"identifier":"depot","action":"ENTER","occurred_at":"2026-11-21T09:16:36.400Z",
                     "confirmed_at":"2026-11-21T09:16:40.000Z"}}
        """
    private static let event = """
        {"event_id":"b","uuid":"0c6d2f9e-5b14-8a77-b3f2-6e91d40c8a25","epoch":1,"seq":1,"revision":1,"is_provisional":true,
         "type":"STATIONARY","start_date":"2026-11-21T09:14:02.000Z","end_date":"2026-11-21T09:16:11.000Z",
         "last_update_date":"2026-11-21T09:16:11.000Z","duration":129,"transport_mode":"CAR","reason":"no_fix","tag":"t",
         "location":{"latitude":40,"longitude":-3,"accuracy":3},
         "venue":{"identifier":"depot","name":"North depot","significance":"DEPOT"}}
        """
    private static let status = """
        {"version":"1","address":"a/b/c","timestamp":"2026-11-21T09:15:02.000Z","broker":"b","is_connected":true,"source":"s",
         "source_fixes":1,"source_skipped":{\(HostileData.json):3},"accepted_fixes":1,"rejected_fixes":{\(HostileData.json):3},
         "is_tracking":true,"is_moving":true,"odometer":1,"odometer_error":1,
         "geofences":{"count":1,"inside":1},"location":\(location),
         "store":{"path":"p","depth":1,"seq":1,"epoch":1,"used_bytes":1,"given_up":0},
         "problems":[{"code":"c","text":"t","since":"2026-11-21T09:15:02.000Z"}]}
        """
    private static let geofences = """
        {"count":1,"hash":"h","inside":["depot"],"more":false,
         "geofences":[{"identifier":"depot","name":"n","kind":"circle","significance":"s","level":"all","single":true,
                       "inside":true}]}
        """

    private static func members(_ text: String) throws -> [String: JSONValue] {
        try JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
    }

    /// Returns an agent that answers with hostile data.
    private static func agent(at path: String) throws -> ControlServer {
        let location = try HostileData.poisoned(location, as: LocationEvent.self)
        let event = try HostileData.poisoned(event, as: TimelineEventRevision.self)
        let answers = [
            "get_status": try members(HostileData.poisoned(status, as: AgentStatus.self)),
            "get_locations": try members("{\"locations\":[\(location)]}"),
            "get_timeline": try members("{\"timeline_events\":[\(event)],\"more\":false}"),
            "get_geofences": try members(HostileData.poisoned(geofences, as: GeofenceListing.self)),
        ]
        return try ControlServer(path: path, address: HostileData.text) { request in
            answers[request.action.rawValue].map { request.success($0) } ?? request.failure(HostileData.text)
        }
    }

    @Test("Data of an agent is harmless, as text and as JSON")
    func localAgent() async throws {
        let folder = try TemporaryFolder()
        let socket = folder.file("s")
        let server = try Self.agent(at: socket)
        defer { server.stop() }
        for command in [["status"], ["locations"], ["timeline"], ["geofences", "list"]] {
            for options in [[], ["--json"]] {
                #expect(try await run(command + options + ["--socket", socket]).ending == .exited(0))
            }
        }
        for command in [
            ["set", "driver", "x"], ["set", "tag", "x"], ["set", "signals", "--ignition", "on"],
            ["set", "extras", "{}"],
            ["odometer", "show"], ["odometer", "set", "5"],
        ] {
            #expect(try await run(command + ["--socket", socket]).ending == .exited(65))
        }
        // Another agent answers with a hostile address.
        let path = try folder.write(
            "{ fleet: 'acme', device: 'van-7', broker: { url: 'mqtt://127.0.0.1' }, control: { path: 's' } }",
            to: "a.json5")
        #expect(try await run(["status", "-c", path]).ending == .exited(69))
    }

    // MARK: Files

    @Test("Configurations and their contents are harmless")
    func configuration() async throws {
        let folder = try TemporaryFolder()
        let json = HostileData.json
        let good = try folder.write(
            """
            { fleet: "acme", device: "van-7", broker: { url: "mqtt://127.0.0.1:1", username: \(json), password_file: \(json) },
              store: { path: \(json) }, control: { path: "s" }, source: { replay: { file: \(json) } },
              tracking: { extras: { \(json): \(json) }, off_schedule: { tag: \(json) } } }
            """, to: "good.json5")
        let bad = try folder.write(
            "{ \(json): 1, groups: [\(json)], device: \(json), broker: { \(json): \(json) }, log: { level: \(json) } }",
            to: "bad.json5")
        for path in [good, bad] {
            for command in [
                ["config", "check", path], ["config", "show", path], ["doctor", "--wait", "1", "-c", path],
            ] {
                try await run(command)
            }
            try await run(["doctor", "--json", "--wait", "1", "-c", path])
        }
        // The password file cannot be read.
        #expect(try await run(["run", "-c", good]).ending == .exited(78))
        try await run(["schedule", HostileData.text], isTold: false)
        try await run(["schedule", "* 8-17 * * *", "--time-zone", HostileData.text])
        // The argument parser quotes arguments unchanged, with line feeds. They do not come from outside.
        for arguments in [
            [HostileData.text], ["status", "--\(HostileData.text)"], ["odometer", "set", HostileData.text],
        ] {
            try await run(arguments, mayBreakLines: true)
        }
    }

    private static let fences = """
        { "type": "FeatureCollection", "features": [
          { "type": "Feature", "id": \(HostileData.json),
            "properties": { "name": \(HostileData.json), "radius": 100, "significance": \(HostileData.json) },
            "geometry": { "type": "Point", "coordinates": [-2.9959, 40.0] } }
        """

    @Test("Captures and geofences are harmless")
    func captures() async throws {
        let folder = try TemporaryFolder()
        let drive = Capture.drive(seconds: 120).replacing("\"/dev/ttyS0\"", with: HostileData.json)
        let capture = try folder.write(drive, to: "drive.jsonl")
        let good = try folder.write(Self.fences + "]}", to: "good.geojson")
        let bad = try folder.write(
            Self.fences + """
                , { "type": "Feature", "id": \(HostileData.spelled(HostileData.text + "2")), "properties": { "radius": \(HostileData.json) },
                    "geometry": { "type": \(HostileData.json), "coordinates": [0, 0] } }]}
                """, to: "bad.geojson")
        for format in ["jsonl", "table", "geojson", "html"] {
            // The page contains no identifiers.
            let ran = try await run(
                ["analyze", capture, "--geofences", good, "--format", format], isTold: format != "html")
            #expect(ran.ending == .exited(0))
        }
        let log = folder.file("none/" + HostileData.text)
        #expect(try await run(["simulate", "--vehicle-log", log]).ending == .exited(73))
        try await run(["geofences", "check", bad])
        #expect(try await run(["geofences", "locate", good, "40.0,-2.9959"]).ending == .exited(0))
        try await run(["geofences", "locate", good, HostileData.text])
    }

    // MARK: Logs

    @Test("Remote data in the logs of an agent and of a replay is harmless")
    func logs() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        try await desk.publish(
            "{ tracking: { \(HostileData.json): 1, schedule: \(HostileData.json) } }", to: "fleet/acme/van-7/config")
        let folder = try TemporaryFolder()
        let drive = try folder.write(Capture.drive(seconds: 600), to: "drive.jsonl")
        let agent = try AgentProcess.driving(broker, folder: folder)
        let isRefused = try await eventually { agent.child.errors.contains("unknown key") ? true : nil }
        #expect(isRefused == true)
        let id = HostileData.spelled(String(HostileData.text.prefix(40)))
        let command = "{\"id\":\(id),\"action\":\(HostileData.json)}"
        try await desk.publish(command, to: "fleet/acme/van-7/command", isRetained: false)
        let isLogged = try await eventually {
            agent.child.errors.contains("info     command x") ? true : nil
        }
        #expect(isLogged == true, "\(agent.child.errors)")
        _ = try await agent.stop()
        #expect(HostileData.faults(in: agent.child.errors) == [])
        #expect(agent.child.errors.contains("\u{FFFD}"))
        // The log of the replay contains the document that the broker holds.
        try await run(["replay", drive, "--speed", "max", "-c", folder.file("agent.json5")])
    }

    // MARK: The fleet

    private static let vehicleStatus = """
        {"device_id":"d","state":"online","reason":"connected","connection":17,"boot_id":"b","run_id":"r","version":"0.1.0",
         "timestamp":"2026-11-21T09:15:02.000Z",
         "problems":[{"code":"c","text":"t","since":"2026-11-21T09:15:02.000Z"}]}
        """
    private static let report = """
        {"device_id":"d","timestamp":"2026-11-21T09:15:02.000Z","agent_version":"1","groups":["vans"],
         "levels":[{"level":"all","version":"1","hash":"h","applied":false,"hash_in_force":"i","version_in_force":"2"}],
         "errors":[{"topic":"fleet/acme/all/config","path":"p","value":"v","message":"m"}],
         "configuration":{"tracking":{"extras":{"a":"b"}}},"configuration_hash":"c","within_schedule":false,
         "next_schedule_changes":[],"tracking":{"enabled":true,"off_schedule":"stop"},
         "geofences":{"count":0,"hash":"h",
                      "levels":[{"level":"all","hash":"h","applied":false,"count":0,"error_count":1,"single_count":0}],
                      "errors":[{"topic":"fleet/acme/all/geofences","identifier":"i","path":"p","line":1,"value":"v","message":"m"}]},
         "ledger":[],"queue":{"depth":0},"features":[]}
        """

    @Test("Data of vehicles from a broker is harmless")
    func fleet() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let folder = try TemporaryFolder()
        let document = try folder.write(#"{"tracking":{"extras":{"a":1}}}"#, to: "good.json5")
        let bad = try folder.write("{ tracking: { \(HostileData.json): \(HostileData.json) } }", to: "bad.json5")
        let fences = try folder.write(Self.fences + "]}", to: "fences.geojson")
        let status = try HostileData.poisoned(Self.vehicleStatus, as: StatusMessage.self)
        var offline = try Self.members(status)
        offline["state"] = .string("offline")
        try await desk.publish(
            String(decoding: try JSONEncoder().encode(offline), as: UTF8.self), to: "fleet/acme/van-9/status")
        for name in ["van-7", HostileData.name] {
            try await desk.publish(status, to: "fleet/acme/\(name)/status")
        }
        try await desk.publish("{ version: \(HostileData.json) }", to: "fleet/acme/all/config")
        // The vehicles report that they refused the documents that are published below.
        let hash = FleetDeskHash.of(document)
        let fenceHash = FleetDeskHash.of(fences)
        let poisoned = try HostileData.poisoned(Self.report, as: ReportedMessage.self)
        for name in ["van-7", HostileData.name] {
            var report = try Self.members(poisoned)
            report["levels"] = try Self.members(
                "{\"x\":[{\"level\":\"all\",\"version\":\(HostileData.json),\"hash\":\"\(hash)\",\"applied\":false}]}")[
                    "x"]
            report["errors"] = try Self.members(
                "{\"x\":[{\"topic\":\"fleet/acme/all/config\",\"path\":\(HostileData.json),\"message\":\(HostileData.json)}]}"
            )[
                "x"]
            if case .object(var geofences)? = report["geofences"] {
                geofences["levels"] = try Self.members(
                    "{\"x\":[{\"level\":\"all\",\"hash\":\"\(fenceHash)\",\"applied\":false,\"count\":0,\"error_count\":1,\"single_count\":0}]}"
                )["x"]
                report["geofences"] = .object(geofences)
            }
            try await desk.publish(
                String(decoding: try JSONEncoder().encode(report), as: UTF8.self), to: "fleet/acme/\(name)/reported")
        }
        func fleet(_ arguments: String..., isTold: Bool = true) async throws -> Outcome {
            try await fleet(arguments, isTold: isTold)
        }
        func fleet(_ arguments: [String], isTold: Bool = true) async throws -> Outcome {
            try await run(
                ["fleet"] + arguments + ["--broker", "mqtt://127.0.0.1:\(broker.port)", "--fleet", "acme"],
                isTold: isTold)
        }
        #expect(try await fleet("status", "--once").output.contains("2 refused"))
        _ = try await fleet("status", "--json")
        _ = try await fleet("config", "show", "--device", "van-7")
        _ = try await fleet("config", "set", bad, "--all")
        #expect(
            try await fleet("config", "set", document, "--all", "--timeout", "2").output.contains("refused by van-7"))
        #expect(
            try await fleet("geofences", "push", fences, "--all", "--timeout", "2", isTold: false).output
                .contains("\nvan-9 "))
        #expect(try await fleet("geofences", "diff", fences, "--device", "van-7").ending == .exited(1))
        for options in [[], ["--json"]] {
            #expect(try await fleet(["geofences", "show", "--all"] + options, isTold: false).ending == .exited(0))
            #expect(try await fleet(["geofences", "history", "--all"] + options, isTold: false).ending == .exited(0))
        }
        #expect(try await fleet("geofences", "pull", "--all", isTold: false).ending == .exited(0))
        #expect(try await fleet("geofences", "add", fences, "--all", "--dry-run", isTold: false).ending == .exited(0))
        #expect(try await fleet("geofences", "remove", HostileData.name, "--all", isTold: false).ending == .exited(69))
        #expect(
            try await fleet("geofences", "rollback", "--all", "--to", HostileData.name, isTold: false).ending
                == .exited(69))
        #expect(try await fleet("command", "get_status", "--device", "van-9").ending == .exited(69))
        for options in [[], ["--json"], ["--remove"]] {
            let announced = try await run(
                ["fleet", "announce", "homeassistant"] + options + [
                    "--broker", "mqtt://127.0.0.1:\(broker.port)", "--fleet", "acme",
                ], isTold: false)
            #expect(announced.ending == .exited(0), "\(announced.errors)")
        }
        // The vehicle answers with a hostile error.
        let vehicle = try ChildProcess(
            "stdbuf",
            [
                "-oL", "mosquitto_sub", "-p", "\(broker.port)", "-q", "1", "-t", "fleet/acme/van-7/command", "-C", "1",
                "-d",
            ])
        _ = try await eventually { vehicle.output.contains("SUBACK") ? true : nil }
        async let asked = fleet("command", "get_status", "--device", "van-7", "--timeout", "30")
        let identifier = try await eventually {
            vehicle.output.split(separator: "\"").first { $0.hasPrefix("desk-") }.map(String.init)
        }
        let answer =
            "{\"id\":\"\(try #require(identifier))\",\"address\":\"fleet/acme/van-7\",\"status\":\"error\",\"error\":\(HostileData.json)}"
        try await desk.publish(answer, to: "fleet/acme/van-7/response", isRetained: false)
        #expect(try await asked.ending == .exited(1))
    }
}

/// The hash of a file as vehicles report it.
private enum FleetDeskHash {
    static func of(_ path: String) -> String {
        SHA256.hexDigest(of: (try? FileReader.read(path, atMost: 1 << 20).get()) ?? [])
    }
}
