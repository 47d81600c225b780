import FoundationEssentials
import OdographHarness
import OdographJSON
import OdographWire
import Testing

/// Runs the desk's commands with hostile data from vehicles, recorders, other desks and files.
@Suite("The output of the desk for hostile data")
struct DeskOutputTests {
    private let broker: MosquittoBroker
    private let folder: TemporaryFolder
    private let desk: BrokerOperator

    private static let status = """
        {"device_id":"van-7","state":"online","reason":"connected","connection":1,"boot_id":"b","run_id":"r","version":"1",\
        "timestamp":"2026-11-21T09:15:02.000Z"}
        """
    private static let location = """
        {"device_id":"van-7","location":{"uuid":"46b165f0-9c1e-8a3d-b0c5-0f2f6f0a9d11","epoch":1,"seq":1,
         "timestamp":"2026-11-21T09:15:02.000Z","age":0,"event":"geofence","is_moving":true,"sample":false,"mock":false,
         "odometer":1,"odometer_error":1,"coords":{"latitude":40,"longitude":-3,"accuracy":4,"speed":13,"heading":271},
         "activity":{"type":"in_vehicle","confidence":96},"extras":{"driver":"42"}}}
        """
    private static let event = """
        {"event_id":"b","uuid":"0c6d2f9e-5b14-8a77-b3f2-6e91d40c8a25","epoch":1,"seq":1,"revision":1,"is_provisional":true,
         "type":"STATIONARY","start_date":"2026-11-21T09:14:02.000Z","end_date":"2026-11-21T09:16:11.000Z",
         "last_update_date":"2026-11-21T09:16:11.000Z","duration":129,"transport_mode":"CAR","reason":"no_fix","tag":"t",
         "location":{"latitude":40,"longitude":-3,"accuracy":3},
         "venue":{"identifier":"depot","name":"North depot","significance":"DEPOT"}}
        """

    init() async throws {
        broker = try await MosquittoBroker()
        folder = try TemporaryFolder()
        desk = BrokerOperator(port: broker.port)
        try await desk.publish(Self.status, to: "fleet/acme/van-7/status")
    }

    private func start(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(
            AgentProcess.executable,
            ["fleet"] + arguments + ["--broker", "mqtt://127.0.0.1:\(broker.port)", "--fleet", "acme"],
            environment: ["XDG_STATE_HOME": folder.file("state")])
    }

    /// Runs a command, and checks all its output.
    @discardableResult
    private func run(_ arguments: [String], isTold: Bool = true) async throws -> ChildProcess {
        let child = try start(arguments)
        try await child.wait(seconds: 300)
        check(child, isTold: isTold)
        return child
    }

    private func check(_ child: ChildProcess, isTold: Bool = true) {
        let printed = child.output + child.errors
        for text in [child.output, child.errors] { #expect(HostileData.faults(in: text) == []) }
        #expect(printed.contains("\u{FFFD}") || printed.contains("\\u001b") || !isTold, "\(printed)")
    }

    @Test("A position is harmless")
    func position() async throws {
        try await desk.publish(
            try HostileData.poisoned(Self.location, as: LocationMessage.self), to: "fleet/acme/van-7/location")
        let text = try await run(["locate", "van-7"], isTold: false)
        #expect(text.output.contains("\n  geo:40.00000,-3.00000;u=4\n"), "\(text.output)")
        try await run(["locate", "van-7", "--json"])
        // A name is refused before the broker is asked.
        try await run(["locate", HostileData.name])
    }

    @Test("Documents of another desk are harmless")
    func documents() async throws {
        let hostile =
            "{ version: \(HostileData.json), tracking: { extras: { \(HostileData.json): \(HostileData.json) } } }"
        let sent = try await ChildProcess.run(
            "mosquitto_pub",
            [
                "-p", "\(broker.port)", "-q", "1", "-r", "-V", "5", "-t", "fleet/acme/all/config", "-m", hostile, "-D",
                "publish", "user-property", "sender", "x\u{202E}FORGED",
            ])
        #expect(sent.ending == .exited(0), "\(sent.errors)")
        let document = try folder.write("{ version: '2' }", to: "two.json5")
        for json in [[], ["--json"]] {
            try await run(["config", "set", document, "--all", "--dry-run"] + json)
            try await run(["config", "history", "--all"] + json)
        }
        try await run(["config", "set", document, "--all", "--timeout", "1"], isTold: false)
        for json in [[], ["--json"]] {
            try await run(["config", "rollback", "--all", "--dry-run"] + json)
        }
        try await run(["config", "rollback", "--all", "--timeout", "1"], isTold: false)
        try await run(["config", "rollback", "--all", "--to", HostileData.name])
    }

    @Test("The document in which the groups of a vehicle are set is harmless")
    func groups() async throws {
        let topic = "fleet/acme/van-7/config"
        try await desk.publish("{ tracking: { extras: { \(HostileData.json): \(HostileData.json) } } }", to: topic)
        for json in [[], ["--json"]] {
            try await run(["groups", "van-7", "north", "--dry-run"] + json, isTold: false)
        }
        try await desk.publish("[\(HostileData.json)]", to: topic)
        let refused = try await run(["groups", "van-7", "--none"], isTold: false)
        #expect(refused.poll() == .exited(65) && refused.errors.contains("is not an object"), "\(refused.errors)")
        // A name is refused before the broker is asked.
        try await run(["groups", "van-7", HostileData.name])
    }

    @Test("The answers of recorders and vehicles are harmless", arguments: [[], ["--json"]])
    func answers(json: [String]) async throws {
        let event = try HostileData.poisoned(Self.event, as: TimelineEventRevision.self)
        let range = ["--from", "2026-11-21", "--to", "2026-11-22", "--time-zone", "UTC"]
        // The ear must hear the request: a broker does not keep it.
        let requests = try ChildProcess(
            "stdbuf",
            [
                "-oL", "mosquitto_sub", "-p", "\(broker.port)", "-q", "1", "-t", "fleet/history:acme/desk/request/+",
                "-t",
                "fleet/acme/van-7/command", "-F", "%t %p", "-d",
            ])
        _ = try await eventually { requests.output.contains("SUBACK") ? true : nil }
        func identifier(after count: Int) async throws -> String {
            try #require(
                try await eventually { () -> String? in
                    let found = requests.output.split(separator: "\n").filter { $0.hasPrefix("fleet/") }
                    guard found.count > count else { return nil }
                    return found[count].firstMatch(of: #/desk-[0-9]+/#).map { String($0.0) }
                })
        }
        let recorded = try start(["timeline", "van-7"] + range + json)
        let id = try await identifier(after: 0)
        try await desk.publish(
            """
            {"id":"\(id)","recorder":\(HostileData.json),"part":1,"status":"ok","is_last":true,"count":1,"rows":[\(event)]}
            """, to: "fleet/history:acme/desk/answer/\(id)", isRetained: false)
        #expect(try await recorded.wait(seconds: 300) == .exited(0), "\(recorded.errors)")
        check(recorded)
        // The recorder refuses, and the vehicle answers.
        let asked = try start(["timeline", "van-7"] + range + json)
        let second = try await identifier(after: 1)
        try await desk.publish(
            """
            {"id":"\(second)","recorder":"main","part":1,"status":"error","is_last":true,"error":\(HostileData.json)}
            """, to: "fleet/history:acme/desk/answer/\(second)", isRetained: false)
        let third = try await identifier(after: 2)
        try await desk.publish(
            "{\"id\":\"\(third)\",\"address\":\"fleet/acme/van-7\",\"status\":\"ok\",\"timeline_events\":[\(event)],\"more\":false}",
            to: "fleet/acme/van-7/response", isRetained: false)
        #expect(try await asked.wait(seconds: 300) == .exited(0), "\(asked.errors)")
        check(asked)
        let command = try start(["command", "get_status", "--all"] + json)
        let fourth = try await identifier(after: 3)
        try await desk.publish(
            "{\"id\":\"\(fourth)\",\"address\":\"fleet/acme/van-7\",\"status\":\"ok\",\(HostileData.json):\(HostileData.json)}",
            to: "fleet/acme/van-7/response", isRetained: false)
        #expect(try await command.wait(seconds: 300) == .exited(0), "\(command.errors)")
        check(command)
    }

    @Test("A profile is harmless")
    func profile() async throws {
        let path = try folder.write(
            "{ \(HostileData.json): 1, fleet: \(HostileData.json), broker: { \(HostileData.json): 2 } }",
            to: "desk.json5")
        try await run(["status", "--profile", path])
    }
}
