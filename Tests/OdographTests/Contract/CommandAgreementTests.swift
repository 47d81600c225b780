import OdographHarness
import Logging
import OdographJSON
import Testing
import OdographWire

@testable import Odograph
@testable import OdographOperator

/// Compares the schema of commands with an agent that executes them.
@Suite("The schema of commands and the agent")
struct CommandAgreementTests {
    /// A minimal command of each action.
    private static let commands = [
        #"{"id":"1","action":"get_status"}"#,
        #"{"id":"1","action":"get_locations"}"#,
        #"{"id":"1","action":"get_timeline"}"#,
        #"{"id":"1","action":"get_geofences"}"#,
        #"{"id":"1","action":"get_timeline_updates","after":"2026-11-21T09:15:02Z"}"#,
        #"{"id":"1","action":"set_odometer","value":5}"#,
        #"{"id":"1","action":"set_extras","value":{"driver":"42"}}"#,
        #"{"id":"1","action":"set_driver","driver":"42","persist":true}"#,
        #"{"id":"1","action":"set_tag","tag":"x","private":false,"persist":false}"#,
        #"{"id":"1","action":"set_signals","ignition":true,"speed":5}"#,
        // This command is last because each answer to it is a record, which the other answers would contain.
        #"{"id":"1","action":"get_current_position"}"#,
    ]

    /// Returns an agent without a broker, whose vehicle is parked for 24 h of fast simulated time.
    private func agent(in folder: TemporaryFolder) throws -> Agent {
        let text = """
            { fleet: "acme", device: "van-7", broker: { url: "mqtt://127.0.0.1:\(try FreePort.next())" },
              source: { simulator: { rate: 20, speed: 100, parked: 86400 } }, store: { path: "agent.db" } }
            """
        let path = try folder.write(text, to: "agent.json5")
        let silent = Logger(label: "contract") { _ in SwiftLogNoOpLogHandler() }
        return Agent(configuration: try ConfigurationFile.load(path), logger: silent)
    }

    /// Returns the reason why the agent refused a command; nil if the agent executed it.
    private func refusal(of payload: String, by connection: ControlSocketClient) async throws -> String? {
        let request: CommandRequest
        do throws(CommandRequestParser.Refusal) {
            request = try CommandRequestParser.parse(Array(payload.utf8))
        } catch {
            return error.problem
        }
        let answer = try await connection.response(to: request)
        let errors = try ContractValidator.running().errors(
            schema: "response", payload: JSONCoder.string(of: answer))
        #expect(errors == [], "\(answer)")
        // A command that has expired, or that this agent has no certificate for, is right in its form.
        let isRightInForm = ["expired at", "without a certificate"].contains { answer.error?.contains($0) == true }
        return isRightInForm ? nil : answer.error
    }

    /// The part of the schema that lists the actions.
    private struct Schema: Decodable {
        struct Properties: Decodable {
            var action: Action
        }
        struct Action: Decodable {
            var `enum`: [String]
        }
        var properties: Properties
    }

    @Test("The schema lists exactly the actions that the agent knows")
    func actions() throws {
        let path = Corpora.projectRoot + "/config/schemas/command.schema.json"
        let schema = try JSONCoder.decode(Schema.self, from: FileReader.read(path, atMost: 1 << 20).get())
        #expect(schema.properties.action.enum.sorted() == CommandRequest.Action.names.sorted())
    }

    @Test("The schema and the agent agree on right and wrong values of every key of a command")
    func commands() async throws {
        let folder = try TemporaryFolder()
        let agent = try agent(in: folder)
        try await agent.start()
        let connection = ControlSocketClient(path: folder.file("control.sock"))
        var differences: [String] = []
        for command in Self.commands {
            let cases = try ContractValidator.running().cases(schema: "command", base: command)
            for candidate in cases {
                let refusal = try await refusal(of: candidate.payload, by: connection)
                if candidate.errors.isEmpty != (refusal == nil) {
                    differences.append("\(candidate.payload)\n  schema: \(candidate.errors)\n  agent: \(refusal ?? "")")
                }
            }
        }
        await agent.stop()
        #expect(differences == [], "\(differences.joined(separator: "\n"))")
    }
}
