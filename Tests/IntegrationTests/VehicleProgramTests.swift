import Glibc
import OdographHarness
import OdographJSON
import OdographOperator
import OdographWire
import Testing

/// Programs on the vehicle: an RFID reader, a button, a digital input.
@Suite("Programs on the vehicle")
struct VehicleProgramTests {
    private static let rounds = getenv("ODOGRAPH_KILL_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 3

    private static func set(_ arguments: [String], _ folder: TemporaryFolder) async throws {
        let (ending, _, errors) = try await ChildProcess.run(
            AgentProcess.executable, ["set"] + arguments + ["--config", folder.file("agent.json5")])
        #expect(ending == .exited(0), "\(errors)")
    }

    private static func status(_ folder: TemporaryFolder) async throws -> [String: JSONValue] {
        let status = try await eventually { () -> [String: JSONValue]? in
            let agent = LocalAgent(configuration: nil, socketPath: folder.file("control.sock"))
            guard case .running(_, .object(let members))? = try? await agent.status() else { return nil }
            return members
        }
        return try #require(status)
    }

    @Test("What is set to persist stays over each kill, private time always, and the rest ends with the run")
    func kills() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        let receiver = try ScriptedReceiver()
        defer { receiver.stop() }
        let configuration = AgentProcess.configuration(
            broker: broker.port, source: "{ gpsd: { host: '127.0.0.1', port: \(receiver.port) } }")
        receiver.drive(from: LeakSearch.Place(latitude: 47.612_345_6, longitude: 121.512_345_6))
        for round in 0..<Self.rounds {
            let agent = try AgentProcess(folder: folder, configuration: configuration)
            _ = try await Self.status(folder)
            try await Self.set(["driver", "anna \(round)", "--persist"], folder)
            try await Self.set(["tag", "client \(round)", "--persist"], folder)
            try await Self.set(["signals", "--ignition", "on", "--fuel-level", "0.5", "--persist"], folder)
            try await Self.set(["extras", "{ job: \(round) }", "--persist"], folder)
            try await agent.kill()
            let second = try AgentProcess(folder: folder, configuration: configuration)
            let status = try await Self.status(folder)
            #expect(status["driver"] == .string("anna \(round)") && status["tag"] == .string("client \(round)"))
            let vehicle = try await eventually { () -> JSONValue? in
                guard case .object(let location)? = try await Self.status(folder)["location"],
                    location["extras"] == .object(["job": .integer(Int64(round))])
                else { return nil }
                return location["vehicle"]
            }
            #expect(vehicle != nil, "\(second.child.errors)")
            // A driver that is not to persist also ends the earlier one.
            try await Self.set(["driver", "ben"], folder)
            try await Self.set(["tag", "lunch", "--private"], folder)
            try await second.kill()
            let third = try AgentProcess(folder: folder, configuration: configuration)
            let closed = try await Self.status(folder)
            #expect(closed["is_private"] == .bool(true) && closed["tag"] == .string("lunch"))
            #expect(closed["location"] == nil && closed["driver"] == nil)
            try await Self.set(["tag", "--none"], folder)
            let opened = try await Self.status(folder)
            #expect(opened["is_private"] == nil && opened["tag"] == nil && opened["driver"] == nil)
            try await third.kill()
        }
    }

    @Test("The broker cannot set or end what programs on the vehicle set")
    func broker() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let folder = try TemporaryFolder()
        let agent = try AgentProcess(
            folder: folder,
            configuration: AgentProcess.configuration(broker: broker.port, source: "{ simulator: {} }"))
        _ = try await Self.status(folder)
        try await Self.set(["tag", "lunch", "--private"], folder)
        for command in [
            "\"action\": \"set_tag\", \"tag\": null", "\"action\": \"set_driver\", \"driver\": \"x\"",
            "\"action\": \"set_signals\", \"ignition\": true",
        ] {
            let answer = try await desk.ask(
                "{\"id\": \"\(command.count)\", \(command)}", of: "fleet/acme/van-7/command")
            #expect(answer.error?.contains("control socket") == true, "\(answer)")
        }
        #expect(try await Self.status(folder)["is_private"] == .bool(true))
        _ = try await agent.stop()
    }
}
