import FoundationEssentials
import Glibc
import OdographHarness
import Odograph
import OdographJSON
import OdographOperator
import Testing
import OdographWire

@Suite("The control socket of a running agent")
struct ControlTests {
    private func agent(_ folder: TemporaryFolder, _ broker: MosquittoBroker) async throws -> (
        AgentProcess, ControlSocketClient
    ) {
        let agent = try AgentProcess(
            folder: folder,
            configuration: AgentProcess.configuration(broker: broker.port, source: "{ simulator: { seed: 5 } }"))
        let connection = ControlSocketClient(path: folder.file("control.sock"))
        guard
            try await eventually({ try UnixSocketAddress(folder.file("control.sock")).hasListener ? true : nil }) != nil
        else {
            throw HarnessError("no control socket: \(agent.child.errors)")
        }
        return (agent, connection)
    }

    @Test("Only the agent's user may open the socket")
    func mode() async throws {
        let folder = try TemporaryFolder()
        let (agent, _) = try await agent(folder, MosquittoBroker())
        var information = stat()
        #expect(lstat(folder.file("control.sock"), &information) == 0)
        #expect(information.st_mode & 0o777 == 0o600)
        _ = try await agent.stop()
        #expect(access(folder.file("control.sock"), F_OK) != 0)
    }

    @Test("The odometer can be set, and keeps its value after a kill")
    func odometer() async throws {
        let folder = try TemporaryFolder()
        let broker = try await MosquittoBroker()
        let (first, connection) = try await agent(folder, broker)
        let set = try connection.perform(
            CommandRequest(id: "a", action: .setOdometer, parameters: ["value": .number(120_345.5)]))
        #expect(set.isSuccess && set.members["odometer"] == .number(120_345.5))
        try await first.kill()
        let (second, again) = try await agent(folder, broker)
        let read = try again.perform(CommandRequest(id: "b", action: .getOdometer))
        guard case .number(let meters)? = read.members["odometer"] else {
            Issue.record("no odometer in \(read)")
            return
        }
        #expect((120_345.5..<121_000).contains(meters))
        withExtendedLifetime(second) {}
    }

    @Test("The current position is the best of several samples and becomes a record")
    func currentPosition() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let (agent, connection) = try await agent(TemporaryFolder(), broker)
        let before = try subscriber.locations().count
        let response = try connection.perform(
            CommandRequest(id: "c", action: .getCurrentPosition, parameters: ["timeout": .integer(20)]))
        #expect(response.isSuccess, "\(response)")
        guard case .object(let location)? = response.members["location"] else {
            Issue.record("no location in \(response)")
            return
        }
        #expect(location["mock"] == .bool(true))
        let isRecorded = try await eventually { try subscriber.locations().count > before ? true : nil }
        #expect(isRecorded == true)
        withExtendedLifetime(agent) {}
    }

    @Test(
        "A wrong command is answered with a remedy",
        arguments: [
            ("get_statsu", "did you mean \"get_status\"?"), ("set_odometer", "needs \"value\""),
            ("explode", "use one of get_status"),
        ])
    func wrong(action: String, hint: String) async throws {
        let (agent, connection) = try await agent(TemporaryFolder(), MosquittoBroker())
        let response = try connection.perform(CommandRequest(id: "d", action: .init(rawValue: action)))
        #expect(!response.isSuccess)
        #expect(response.error?.contains(hint) == true, "\(response)")
        withExtendedLifetime(agent) {}
    }
}
