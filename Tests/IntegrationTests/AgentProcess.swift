import Glibc
import OdographHarness
import Odograph
import OdographOperator

/// The agent as its users run it: the built executable with a configuration file, in a folder of the test.
final class AgentProcess: Sendable {
    let folder: TemporaryFolder
    let child: ChildProcess

    /// The path of the agent's executable.
    static let executable = BuiltProgram.path("odograph")

    /// Starts an agent in a folder. A second agent in the same folder continues the first one's work.
    /// - Parameter environment: Variables that are added to the environment of this process.
    init(folder: TemporaryFolder, configuration: String, environment: [String: String] = [:]) throws {
        self.folder = folder
        try folder.write(configuration, to: "agent.json5")
        child = try ChildProcess(
            Self.executable, ["run", "--config", folder.file("agent.json5")], environment: environment)
    }

    /// Kills the agent with SIGKILL.
    func kill() async throws {
        child.send(SIGKILL)
        _ = try await child.wait()
    }

    /// Stops the agent with SIGTERM.
    func stop() async throws -> ChildProcess.Ending {
        child.send(SIGTERM)
        return try await child.wait()
    }

    /// Returns the number of records in the outbox; nil if the agent does not answer.
    func depth() async -> Int? {
        let agent = LocalAgent(configuration: nil, socketPath: folder.file("control.sock"))
        guard case .running(let status, _)? = try? await agent.status() else { return nil }
        return status.store.depth
    }

    /// Waits until the outbox contains this number of records.
    func waitForDepth(_ count: Int) async throws {
        guard try await eventually({ await depth() ?? 0 >= count ? true : nil }) != nil else {
            throw HarnessError("\(count) records did not come to wait: \(child.errors)")
        }
    }

    /// Returns a configuration that by default records every moving fix.
    static func configuration(
        broker port: UInt16, device: String = "van-7", source: String, tracking: String = everyFix, extra: String = ""
    ) -> String {
        """
        { fleet: "acme", device: "\(device)",
          broker: { url: "mqtt://127.0.0.1:\(port)", reconnect: { minimum: 0.1, maximum: 1 } },
          source: \(source), store: { path: "agent.db" }, tracking: \(tracking) \(extra) }
        """
    }

    /// Starts an agent that replays a capture, in a new folder by default.
    static func replaying(
        _ capture: String, speed: Int, to broker: MosquittoBroker, in folder: TemporaryFolder? = nil,
        tracking: String = everyFix, extra: String = ""
    ) throws -> AgentProcess {
        let folder = try folder ?? TemporaryFolder()
        try folder.write(capture, to: "drive.jsonl")
        return try AgentProcess(
            folder: folder,
            configuration: configuration(
                broker: broker.port, source: "{ replay: { file: \"drive.jsonl\", speed: \(speed) } }",
                tracking: tracking,
                extra: extra))
    }

    /// Tracking settings that record every moving fix.
    static let everyFix = "{ sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }"
}
