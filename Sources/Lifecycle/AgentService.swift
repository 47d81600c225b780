import Odograph
import ServiceLifecycle

#if !Lifecycle && !Commands
    #error("the product OdographLifecycle needs the trait Lifecycle: .package(…, traits: [\"Lifecycle\"])")
#endif

/// An agent as a service of swift-service-lifecycle: it stops in order when its group does.
public struct AgentService: Service {
    private let agent: Agent

    /// Creates a service.
    /// - Parameter agent: An agent that was not started.
    public init(_ agent: Agent) { self.agent = agent }

    /// Runs the agent until the service shuts down or its task is cancelled.
    /// - Throws: The errors of `Agent.start()`.
    public func run() async throws {
        // The function also returns, with an error, when the task is cancelled.
        try await agent.run { try? await gracefulShutdown() }
    }
}
