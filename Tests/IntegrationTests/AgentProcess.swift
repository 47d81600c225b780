import Glibc
import Harness
import Odograph
import OdographOperator

/// The agent as its users run it: the built executable with a configuration file, in a folder of the test's own.
final class AgentProcess: Sendable {
    let folder: TemporaryFolder
    let child: ChildProcess

    /// The executable that was built together with the tests.
    static let executable: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let test = String(decoding: path.prefix(max(count, 0)).map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        // A runner outside of the build folder is given the bundle as an argument.
        for candidate in [test] + CommandLine.arguments {
            let beside =
                candidate.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .joined(separator: "/") + "/odograph"
            if access(beside, X_OK) == 0 { return beside }
        }
        return Corpora.projectRoot + "/.build/debug/odograph"
    }()

    /// Starts an agent on a folder; a second one on the same folder goes on where the first was.
    init(folder: TemporaryFolder, configuration: String) throws {
        self.folder = folder
        try folder.write(configuration, to: "agent.json5")
        child = try ChildProcess(Self.executable, ["run", "--config", folder.file("agent.json5")])
    }

    /// Ends it without warning.
    func kill() async throws {
        child.send(SIGKILL)
        _ = try await child.wait()
    }

    /// Asks it to stop.
    func stop() async throws -> ChildProcess.Ending {
        child.send(SIGTERM)
        return try await child.wait()
    }

    /// The number of its records that wait for the broker; nil while it does not answer.
    func depth() async -> Int? {
        let agent = LocalAgent(configuration: nil, socketPath: folder.file("control.sock"))
        guard case .running(let status, _)? = try? await agent.status() else { return nil }
        return status.store.depth
    }

    /// Waits until so many of its records wait for the broker.
    func waitForDepth(_ count: Int) async throws {
        guard try await eventually({ await depth() ?? 0 >= count ? true : nil }) != nil else {
            throw HarnessError("\(count) records did not come to wait: \(child.errors)")
        }
    }

    /// A configuration for a test: every fix that differs is a record.
    static func configuration(
        broker port: UInt16, source: String, tracking: String = everyFix, extra: String = ""
    ) -> String {
        """
        { fleet: "acme", device: "van-7",
          broker: { url: "mqtt://127.0.0.1:\(port)", reconnect: { minimum: 0.1, maximum: 1 } },
          source: \(source), store: { path: "agent.db" }, tracking: \(tracking) \(extra) }
        """
    }

    /// An agent that replays a capture, in a folder of its own unless one is given.
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

    /// Records every moving fix.
    static let everyFix = "{ sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }"
}
