import FoundationEssentials
import Glibc
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@Suite("The operator's desk")
struct DeskTests {
    private let broker: MosquittoBroker
    private let folder: TemporaryFolder
    private let desk: BrokerOperator

    private static func status(_ state: String = "online", _ reason: String = "connected") -> String {
        """
        {"device_id":"d","state":"\(state)","reason":"\(reason)","connection":1,"boot_id":"b","run_id":"r","version":"1",\
        "timestamp":"2026-11-21T09:15:02.000Z"}
        """
    }

    init() async throws {
        broker = try await MosquittoBroker()
        folder = try TemporaryFolder()
        desk = BrokerOperator(port: broker.port)
        mkdir(folder.file("odograph"), 0o700)
        try folder.write(
            "{ fleet: 'acme', broker: { url: 'mqtt://127.0.0.1:\(broker.port)', username: 'ann' } }",
            to: "odograph/desk.json5")
    }

    /// Runs a command that knows the broker and the fleet from the profile.
    private func fleet(
        _ arguments: String..., input: String = "", environment: [String: String] = [:]
    ) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
        let variables = ["XDG_CONFIG_HOME": folder.path, "XDG_STATE_HOME": folder.file("state")]
        return try await ChildProcess.run(
            AgentProcess.executable, ["fleet"] + arguments, environment: variables.merging(environment) { $1 },
            input: input, seconds: 60)
    }

    /// Returns the objects of an output, of which each line must be one.
    private func objects(_ output: String) throws -> [[String: JSONValue]] {
        try output.split(separator: "\n").map {
            try JSONDecoder().decode([String: JSONValue].self, from: Data($0.utf8))
        }
    }

    @Test("The profile gives broker and fleet, and the environment and an option override it")
    func profile() async throws {
        try await desk.publish(Self.status(), to: "fleet/acme/van-7/status")
        try await desk.publish(Self.status(), to: "fleet/other/lorry-1/status")
        #expect(try await fleet("status", "--once").output.contains("van-7"))
        let variable = try await fleet("status", "--once", environment: ["ODOGRAPH_FLEET": "other"])
        #expect(variable.output.contains("lorry-1"), "\(variable)")
        let option = try await fleet("status", "--once", "--fleet", "acme", environment: ["ODOGRAPH_FLEET": "other"])
        #expect(option.output.contains("van-7"), "\(option)")
        try folder.write("{ fleet: 'acme', borker: {} }", to: "odograph/desk.json5")
        let wrong = try await fleet("status", "--once")
        #expect(wrong.ending == .exited(78))
        #expect(wrong.errors.hasPrefix("\(folder.file("odograph/desk.json5")): borker: unknown key"), "\(wrong.errors)")
    }

    @Test("status shows the vehicles of a group or the named ones, and suggests similar names")
    func filtered() async throws {
        let agent = try AgentProcess.driving(broker, folder: folder)
        try await desk.publish(Self.status(), to: "fleet/acme/van-8/status")
        let isThere = try await eventually {
            try await fleet("status", "--group", "vans", "--json").ending == .exited(0) ? true : nil
        }
        #expect(isThere == true, "\(agent.child.errors)")
        #expect(
            try objects(try await fleet("status", "--group", "vans", "--json").output).map { $0["device"] } == [
                .string("van-7")
            ])
        #expect(
            try objects(try await fleet("status", "--device", "van-8", "--json").output).map { $0["device"] } == [
                .string("van-8")
            ])
        for (arguments, words) in [
            (["--group", "vnas"], "did you mean vans?"), (["--device", "vna-8"], "did you mean van-8?"),
        ] {
            let wrong = try await fleet("status", "--once", arguments[0], arguments[1])
            #expect(wrong.ending == .exited(69) && wrong.errors.contains(words), "\(wrong)")
        }
        let located = try await fleet("locate", "van-7")
        #expect(located.ending == .exited(0), "\(located)")
        #expect(located.output.contains(#/van-7\n  [^\n]+ ago, [^\n]+ UTC\n  4[^\n]+ ± \d+ m\n/#), "\(located.output)")
        #expect(located.output.contains(#/\n  geo:-?\d+\.\d{5},-?\d+\.\d{5};u=\d+\n/#), "\(located.output)")
        let ascii = try await fleet("locate", "van-7", environment: ["LC_ALL": "C"])
        #expect(ascii.output.utf8.allSatisfy { $0 < 0x80 } && ascii.output.contains(" +/- "), "\(ascii.output)")
        let unknown = try await fleet("locate", "vna-7", "--json")
        #expect(unknown.ending == .exited(69) && unknown.output.isEmpty, "\(unknown)")
        let none = try await fleet("locate", "van-8", "--json")
        #expect(none.ending == .exited(69), "\(none)")
        #expect(try objects(none.output).first?["location"] == .null)
        let silent = try await fleet("config", "show", "--device", "van-8")
        #expect(silent.ending == .exited(69) && silent.errors.contains("no report"), "\(silent)")
        #expect(!silent.errors.contains("did you mean"), "\(silent)")
    }

    @Test("The timeline comes from the vehicle, and from a recorder if one answers")
    func timeline() async throws {
        try folder.write(Capture.drive(seconds: 3600), to: "drive.jsonl")
        let agent = try AgentProcess.driving(broker, folder: folder)
        let range = ["--from", "2026-11-21", "--to", "2026-11-23", "--time-zone", "UTC"]
        func timeline(_ more: String...) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
            try await ChildProcess.run(
                AgentProcess.executable, ["fleet", "timeline", "van-7"] + range + more,
                environment: ["XDG_CONFIG_HOME": folder.path], seconds: 60)
        }
        let own = try await eventually { () -> String? in
            let ran = try await timeline("--json")
            return ran.ending == .exited(0) && !ran.output.isEmpty ? ran.output + ran.errors : nil
        }
        #expect(own?.contains("from the vehicle") == false, "JSON has no other text: \(own ?? "")")
        #expect(
            try await timeline().errors.contains("from the vehicle, because no recorder answered; times of the zone"),
            "\(agent.child.errors)")
        let recorder = try await RecorderProcess(port: broker.port, keys: "history: { answer: true }")
        let recorded = try await eventually { () -> String? in
            let ran = try await timeline()
            return ran.errors.contains("from the recorder main") ? ran.output : nil
        }
        #expect(recorded != nil, "\(recorder.child.errors)")
        // Offline, and without a recorder: the reason is said.
        _ = try await agent.stop()
        try await recorder.kill()
        let away = try await timeline()
        #expect(away.ending == .exited(69) && away.errors.contains("van-7 is offline"), "\(away)")
    }

    @Test("A command for a group has one line for each vehicle, and its exit code counts the worst")
    func commands() async throws {
        let agent = try AgentProcess.driving(broker, folder: folder)
        let isThere = try await eventually {
            try await fleet("command", "get_odometer", "--group", "vans", "--json").ending == .exited(0) ? true : nil
        }
        #expect(isThere == true, "\(agent.child.errors)")
        let one = try objects(try await fleet("command", "get_odometer", "--group", "vans", "--json").output)
        #expect(
            one.count == 1 && one[0]["device"] == .string("van-7") && one[0]["status"] == .string("ok")
                && one[0]["odometer"] != nil)
        try await desk.publish(Self.status("offline", "stopped"), to: "fleet/acme/van-9/status")
        let all = try await fleet("command", "get_odometer", "--all")
        #expect(all.ending == .exited(69), "\(all)")
        #expect(all.output.contains(#/\nvan-7    ok           \{"odometer":/#), "\(all.output)")
        #expect(all.output.contains("\nvan-9    no response  is offline (stopped)"), "\(all.output)")
        let refused = try await fleet("command", "flsh", "--all", "--json")
        #expect(refused.ending == .exited(1), "\(refused)")
        #expect(try objects(refused.output).map { $0["status"] } == [.string("error"), .string("none")])
        // A date in the parameters is an instant for the vehicle.
        let dated = try await fleet("command", "get_timeline", "{ from: '2026-11-20', to: '1h' }", "--device", "van-7")
        #expect(dated.ending == .exited(0), "\(dated)")
        let help = try await fleet("command", "--help")
        for action in CommandRequest.Action.knownValues where action != .rollCall {
            #expect(help.output.contains(action.rawValue))
        }
        #expect(!help.output.contains("roll_call"))
        #expect(try await fleet("command", "roll_call", "--all").ending == .exited(64))
        let completion = try await ChildProcess.run(AgentProcess.executable, ["--generate-completion-script", "bash"])
        #expect(completion.output.contains("get_current_position"))
    }

    @Test("A dry run shows the changes and publishes nothing, and a roll-back publishes the document before")
    func rollback() async throws {
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess.driving(broker, folder: folder)
        _ = try await eventually { try subscriber.reports().first }
        func documents() -> [String] {
            subscriber.messages.filter { $0.topic == "fleet/acme/all/config" }.map(\.payload)
        }
        let (one, two) = ("{ version: '1', tracking: { heartbeat_interval: 60 } }", "{ version: '2', tracking: {} }")
        // Vehicles, and all others, get strict JSON.
        let strict = [
            "{\"tracking\":{\"heartbeat_interval\":60},\"version\":\"1\"}", "{\"tracking\":{},\"version\":\"2\"}",
        ]
        let empty = try await fleet("config", "rollback", "--all")
        #expect(empty.ending == .exited(69) && empty.errors.contains("keeps no other document"), "\(empty)")
        let set = try await fleet("config", "set", "-", "--all", input: one)
        #expect(set.ending == .exited(0) && set.output == "in force: van-7\n", "\(set) \(agent.child.errors)")
        let plan = try await fleet("config", "set", "-", "--all", "--dry-run", input: two)
        #expect(plan.ending == .exited(0), "\(plan)")
        #expect(plan.output.contains("old       version 1 (#"), "\(plan.output)")
        #expect(
            plan.output.contains("\n- tracking.heartbeat_interval: 60\n~ version: \"1\" → \"2\"\n"), "\(plan.output)")
        #expect(plan.output.contains("in force  van-7: 1\n"), "\(plan.output)")
        #expect(plan.errors == "nothing was published\n" && documents() == [strict[0]])
        let object = try objects(
            try await fleet("config", "set", "-", "--all", "--dry-run", "--json", input: two).output)
        #expect(object.count == 1 && object[0]["level"] == .string("all"))
        let json = try await fleet("config", "set", "-", "--all", "--json", input: two)
        #expect(try objects(json.output).map { $0["state"] } == [.string("in_force")], "\(json)")
        let history = try objects(try await fleet("config", "history", "--all", "--json").output)
        #expect(
            history.map { $0["version"] } == [.string("1"), .string("2")]
                && history.map { $0["at_broker"] } == [.bool(false), .bool(true)])
        #expect(
            history.allSatisfy { if case .string(let who)? = $0["sender"] { who.hasPrefix("ann@") } else { false } })
        // The desk keeps what the operator has written.
        #expect(history.map { $0["document"] } == [.string(one), .string(two)])
        let planned = try await fleet("config", "rollback", "--all", "--dry-run")
        #expect(planned.output.contains("\n+ tracking.heartbeat_interval: 60\n"), "\(planned)")
        #expect(documents() == strict)
        #expect(try await fleet("config", "rollback", "--all").ending == .exited(0))
        #expect(documents() == [strict[0], strict[1], strict[0]])
        #expect(try await fleet("config", "rollback", "--all", "--to", "2").ending == .exited(0))
        #expect(documents() == strict + strict)
        // A document of another desk is found, so that a roll-back can return to it.
        let other = "{ version: 'other' }"
        try await desk.publish(other, to: "fleet/acme/all/config")
        #expect(try await fleet("config", "set", "-", "--all", input: one).ending == .exited(0))
        #expect(try await fleet("config", "rollback", "--all").ending == .exited(0))
        #expect(documents().last == "{\"version\":\"other\"}")
    }

    @Test("The standard input is a file for each command that takes one")
    func standardInput() async throws {
        func run(_ arguments: [String], input: String) async throws -> (
            ending: ChildProcess.Ending, output: String, errors: String
        ) { try await ChildProcess.run(AgentProcess.executable, arguments, input: input, seconds: 60) }
        let fences = """
            {"type":"FeatureCollection","features":[{"type":"Feature","id":"depot","properties":{"radius":100},
            "geometry":{"type":"Point","coordinates":[-3.0,40.0]}}]}
            """
        let configuration = "{ fleet: 'acme', device: 'van-7', broker: { url: 'mqtt://127.0.0.1' } }"
        let drive = Capture.drive(seconds: 60)
        for (arguments, input) in [
            (["config", "check", "-"], configuration), (["config", "show", "-"], configuration),
            (["config", "show", "-", "--json"], configuration), (["geofences", "check", "-"], fences),
            (["geofences", "locate", "-", "40.0,-3.0"], fences), (["analyze", "-"], drive),
            (["analyze", folder.file("drive.jsonl"), "--geofences", "-"], fences),
        ] {
            try folder.write(drive, to: "drive.jsonl")
            let ran = try await run(arguments, input: input)
            #expect(ran.ending == .exited(0) && !(ran.output + ran.errors).isEmpty, "\(arguments): \(ran)")
        }
        let recorder = try await ChildProcess.run(
            RecorderProcess.executable, ["config", "check", "-", "--json"],
            input: "{ fleets: ['acme'], broker: { url: 'mqtt://127.0.0.1' } }")
        #expect(recorder.output == "{\"file\":\"-\",\"is_valid\":true,\"issues\":[]}\n", "\(recorder)")
        for (arguments, input) in [
            (["config", "check", "-"], "{ fleet: 1 }"), (["config", "show", "-"], "{"), (["analyze", "-"], "x"),
            (["geofences", "check", "-"], "{"), (["geofences", "locate", "-", "1,1"], "[]"),
            (["fleet", "config", "set", "-", "--all"], "{ tracking: 1 }"),
            (["fleet", "geofences", "push", "-", "--all"], "{\"type\":1}"),
        ] {
            let ran = try await run(arguments, input: input)
            #expect(ran.ending != .exited(0) && ran.errors.contains("the standard input"), "\(arguments): \(ran)")
            #expect(!ran.errors.contains("-:"), "\(arguments): \(ran.errors)")
        }
        let valid = try await run(["geofences", "check", "-", "--json"], input: fences)
        #expect(
            try objects(valid.output) == [
                ["file": .string("-"), "is_valid": .bool(true), "geofences": .integer(1), "errors": .integer(0)]
            ])
        let wrong = try await run(["config", "check", "-", "--json"], input: "{ fleet: 1 }")
        #expect(wrong.ending == .exited(78) && wrong.errors.isEmpty, "\(wrong)")
        #expect(try objects(wrong.output).first?["is_valid"] == .bool(false))
        try await desk.publish(Self.status(), to: "fleet/acme/van-7/status")
        let push = try await fleet("geofences", "push", "-", "--all", "--timeout", "1", "--json", input: fences)
        #expect(try objects(push.output).map { $0["state"] } == [.string("pending")], "\(push)")
        let difference = try await fleet(
            "geofences", "diff", "-", "--all", "--json", input: fences.replacing("\"depot\"", with: "\"school\""))
        #expect(difference.ending == .exited(1), "\(difference)")
        #expect(
            difference.output
                == "{\"change\":\"added\",\"identifier\":\"school\"}\n{\"change\":\"removed\",\"identifier\":\"depot\"}\n"
        )
    }

    @Test("A set of geofences is changed with a list, a question and a way back")
    func geofences() async throws {
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess.driving(broker, folder: folder)
        _ = try await eventually { try subscriber.reports().first }
        let place = try #require(try await eventually { try subscriber.locations().first?.event.coords })
        func fence(_ id: String, _ radius: Int = 100, isSwapped: Bool = false) -> String {
            let point = isSwapped ? [place.latitude, place.longitude] : [place.longitude, place.latitude]
            return """
                {"type":"Feature","id":"\(id)","note":"kept","properties":{"radius":\(radius)},\
                "geometry":{"type":"Point","coordinates":[\(point[0]),\(point[1])]}}
                """
        }
        func set(_ fences: String...) -> String {
            "{\"type\":\"FeatureCollection\",\"features\":[\(fences.joined(separator: ","))]}"
        }
        func published() -> [String] {
            subscriber.messages.filter { $0.topic == "fleet/acme/all/geofences" }.map(\.payload)
        }
        let five = set(fence("a"), fence("b"), fence("c"), fence("d"), fence("e"))
        let first = try await fleet("geofences", "push", "-", "--all", input: five)
        #expect(first.ending == .exited(0), "\(first) \(agent.child.errors)")
        #expect(first.errors.contains("+ e\n5 added, 0 changed, 0 removed, 0 unchanged\n"), "\(first)")
        // Two geofences do not replace five without a word.
        let two = set(fence("a", 120), fence("f"))
        let plan = try await fleet("geofences", "push", "-", "--all", "--dry-run", input: two)
        #expect(plan.ending == .exited(0) && plan.errors == "nothing was published\n", "\(plan)")
        #expect(
            plan.output.hasSuffix("+ f\n~ a\n- b\n- c\n- d\n- e\n1 added, 1 changed, 4 removed, 0 unchanged\n"),
            "\(plan)")
        let refused = try await fleet("geofences", "push", "-", "--all", input: two)
        #expect(refused.ending == .exited(64), "\(refused)")
        #expect(refused.errors.contains("removes 4 geofences: b, c, d, e; nothing was published; --yes publishes it"))
        #expect(published() == [five])
        #expect(try await fleet("geofences", "push", "-", "--all", "--yes", input: two).ending == .exited(0))
        #expect(published() == [five, two])
        let back = try await fleet("geofences", "rollback", "--all", "--yes")
        #expect(back.ending == .exited(0) && published() == [five, two, five], "\(back)")
        let single = try await fleet("geofences", "push", "-", "--all", "--yes", input: fence("g"))
        #expect(single.ending == .exited(65) && single.errors.contains("write a FeatureCollection"), "\(single)")
        #expect(try await fleet("geofences", "diff", "-", "--all", input: fence("g")).ending == .exited(65))
        // Single geofences, with the members of the others that no vehicle reads.
        let added = try await fleet("geofences", "add", "-", "--all", input: fence("g"))
        #expect(
            added.ending == .exited(0) && added.errors.contains("+ g\n1 added, 0 changed, 0 removed, 5"), "\(added)")
        let removed = try await fleet("geofences", "remove", "b", "--all")
        #expect(removed.ending == .exited(0) && removed.errors.contains("- b\n"), "\(removed)")
        let pulled = try await fleet("geofences", "pull", "--all")
        #expect(pulled.output.matches(of: /"note":"kept"/).count == 5, "\(pulled)")
        #expect(try await fleet("geofences", "diff", "-", "--all", input: pulled.output).ending == .exited(0))
        let shown = try await fleet("geofences", "show", "--all")
        #expect(shown.output.hasPrefix("5 geofences in set #") && shown.output.contains("\ng "), "\(shown)")
        let history = try objects(try await fleet("geofences", "history", "--all", "--json").output)
        #expect(history.count == 5 && history.last?["at_broker"] == .bool(true), "\(history)")
        let missing = try await fleet("geofences", "remove", "zzz", "--all")
        #expect(missing.ending == .exited(69) && missing.errors.contains("no geofence zzz"), "\(missing)")
        // Latitude and longitude are often swapped.
        let swapped = try await fleet(
            "geofences", "add", "-", "--all", "--dry-run", input: fence("far", isSwapped: true))
        #expect(swapped.errors.contains("warning: far is "), "\(swapped)")
        #expect(swapped.errors.contains("latitude and longitude seem to be swapped"), "\(swapped)")
    }

    @Test("Of a report that violates the contract the desk says what is wrong, and not that there is none")
    func wrongReport() async throws {
        try await desk.publish(Self.status(), to: "fleet/acme/van-7/status")
        let wrong = [("9223372036854775807", "count is not from 0 to 1000000000"), ("1", "timestamp is missing")]
        for (count, problem) in wrong {
            try await desk.publish(
                #"{"device_id":"van-7","geofences":{"levels":[{"level":"all","count":\#(count)}]}}"#,
                to: "fleet/acme/van-7/reported")
            let shown = try await fleet("config", "show", "--device", "van-7")
            #expect(shown.ending == .exited(65), "\(shown)")
            #expect(shown.errors.contains("the report of van-7 at this broker violates the contract: "), "\(shown)")
            #expect(shown.errors.contains(problem), "\(shown)")
        }
        try await desk.publish(Self.status(), to: "fleet/acme/van-8/status")
        let silent = try await fleet("config", "show", "--device", "van-8")
        // Its name is right.
        #expect(silent.ending == .exited(69) && silent.errors.contains("van-8 has no report"), "\(silent)")
        #expect(!silent.errors.contains("did you mean"), "\(silent)")
    }

    @Test(
        "On a terminal a set that removes geofences is published only after the answer yes",
        arguments: [("n\r", 1), ("\r", 1), ("\u{4}", 1), ("YES\r", 69)] as [(String, Int32)])
    func question(answer: String, code: Int32) async throws {
        try await desk.publish(Self.status(), to: "fleet/acme/van-7/status")
        func set(_ names: String...) -> String {
            let fences = names.map {
                #"{"type":"Feature","id":"\#($0)","properties":{"radius":100},"#
                    + #""geometry":{"type":"Point","coordinates":[-3.7,40.4]}}"#
            }
            return #"{"type":"FeatureCollection","features":[\#(fences.joined(separator: ","))]}"#
        }
        let (old, new) = (set("a", "b", "c"), set("a", "d"))
        try await desk.publish(old, to: "fleet/acme/all/geofences")
        let path = try folder.write(new, to: "new.json")
        let terminal = try PseudoTerminal(
            AgentProcess.executable, ["fleet", "geofences", "push", path, "--all", "--timeout", "1"],
            environment: ["XDG_CONFIG_HOME": folder.path, "XDG_STATE_HOME": folder.file("state")])
        let isAsked = try await eventually { terminal.output.contains("[y/N]") ? true : nil }
        #expect(isAsked == true, "\(terminal.output)")
        #expect(terminal.output.contains("+ d\r\n- b\r\n- c\r\n1 added, 0 changed, 2 removed"), "\(terminal.output)")
        #expect(terminal.output.contains("it removes 2 geofences: b, c. Publish it?"), "\(terminal.output)")
        terminal.type(answer)
        // After a publication the vehicle does not report.
        #expect(try await eventually { terminal.poll() } == code, "\(terminal.output)")
        let pulled = try await fleet("geofences", "pull", "--all")
        #expect(pulled.output == (code == 1 ? old : new) + "\n", "\(pulled)")
    }

    @Test(
        "Each kind of time is a date, too", arguments: ["2026-11-21", "2026-11-21T09:15", "2026-11-21T09:15:02Z", "2h"])
    func dates(time: String) async throws {
        let path = try folder.write(
            "{ fleet: 'acme', device: 'van-7', broker: { url: 'mqtt://127.0.0.1' }, store: { path: 'none.db' } }",
            to: "agent.json5")
        for arguments in [
            ["locations", "--from", time, "-c", path], ["timeline", "--from", time, "-c", path],
            ["timeline", "--after", time, "-c", path], ["schedule", "* * * * *", "--at", time],
            ["fleet", "timeline", "van-7", "--from", time],
        ] {
            let ran = try await ChildProcess.run(
                AgentProcess.executable, arguments, environment: ["XDG_CONFIG_HOME": folder.path], seconds: 60)
            // No agent and no vehicle is there; but the arguments are right.
            #expect(ran.ending != .exited(64), "\(arguments): \(ran)")
        }
    }
}
