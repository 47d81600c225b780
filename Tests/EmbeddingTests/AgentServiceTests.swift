import Logging
import Odograph
import OdographHarness
import OdographLifecycle
import ServiceLifecycle
import Testing

@Suite("An agent in a service group")
struct AgentServiceTests {
    @Test(
        "The agent stops in order when its group shuts down, and when the task of the group is cancelled",
        .timeLimit(.minutes(5)), arguments: [true, false])
    func end(isGraceful: Bool) async throws {
        let folder = try TemporaryFolder()
        let text = """
            { fleet: "acme", device: "van-7", broker: { url: "mqtt://127.0.0.1:\(try FreePort.next())" },
              source: { simulator: { rate: 5 } }, store: { path: "agent.db" } }
            """
        let configuration = try ConfigurationFile.parse(text, folder: folder.path)
        let silent = Logger(label: "box") { _ in SwiftLogNoOpLogHandler() }
        let agent = Agent(configuration: configuration, logger: silent)
        let locations = await agent.locations
        let group = ServiceGroup(services: [AgentService(agent)], logger: silent)
        let running = Task { try await group.run() }
        for await _ in locations { break }
        if isGraceful { await group.triggerGracefulShutdown() } else { running.cancel() }
        let result = await running.result
        if isGraceful { try result.get() }
        // The database is free, so the agent has stopped.
        let next = Agent(configuration: configuration, logger: silent)
        try await next.start()
        await next.stop()
    }
}
