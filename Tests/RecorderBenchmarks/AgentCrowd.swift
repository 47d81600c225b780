import Glibc
import Logging
import Odograph
import OdographHarness

/// Many vehicles in this process, each with the code of the agent itself, a simulator and a database of its own.
struct AgentCrowd {
    let agents: [Agent]

    /// Starts the agents. Half of them are parked.
    /// - Parameters:
    ///   - count: The number of vehicles. Their names are van-1, van-2 and so on.
    ///   - folder: The folder of their databases.
    ///   - port: The port of the broker of a vehicle, by its number.
    init(_ count: Int, in folder: TemporaryFolder, port: (Int) -> UInt16) async throws {
        try Self.raiseFileLimit()
        let silent = Logger(label: "crowd") { _ in SwiftLogNoOpLogHandler() }
        var agents: [Agent] = []
        for number in 1...count {
            let home = folder.file("van-\(number)")
            mkdir(home, 0o700)
            let parked = number.isMultiple(of: 2) ? 86_400 : 0
            let configuration = try ConfigurationFile.parse(
                """
                { fleet: "acme", device: "van-\(number)", broker: { url: "mqtt://127.0.0.1:\(port(number))" },
                  source: { simulator: { parked: \(parked), seed: \(number) } }, store: { path: "agent.db" } }
                """, folder: home)
            let agent = Agent(configuration: configuration, logger: silent)
            try await agent.start()
            agents.append(agent)
        }
        self.agents = agents
    }

    func stop() async { for agent in agents { await agent.stop() } }

    /// Each agent needs about a dozen files and sockets.
    private static func raiseFileLimit() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw HarnessError("the limit of open files cannot be raised to \(limit.rlim_max)")
        }
    }
}
