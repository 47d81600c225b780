import Odograph
import Positioning

/// Looks at everything that an agent needs, without starting one.
public struct Doctor: Sendable {
    private let path: String
    private let waitSeconds: Double

    /// - Parameters:
    ///   - path: the configuration file.
    ///   - waitSeconds: how long a broker and a receiver may take to answer.
    public init(configuration path: String, waitSeconds: Double) {
        self.path = path
        self.waitSeconds = waitSeconds
    }

    /// Looks, and hands over each finding as soon as it is known, always in the same order.
    /// - Returns: all of them. What is wrong is a finding, and no error.
    /// - Throws: what `report` throws.
    public func runChecks(_ report: (Finding) throws -> Void) async throws -> [Finding] {
        var findings: [Finding] = []
        func emit(_ more: [Finding]) throws {
            for finding in more { try report(finding) }
            findings += more
        }
        let configuration: AgentConfiguration
        do {
            configuration = try ConfigurationFile.load(path)
        } catch {
            try emit(error.issues.map { Finding(.fail, "configuration", "\(error.origin): \($0)", advice: nil) })
            try emit([ClockCheck.finding(SystemAgentClock().now())])
            return findings
        }
        try emit([Finding(.ok, "configuration", path)])
        try emit(CredentialsCheck(broker: configuration.broker).findings())
        let agent = AgentCheck(configuration)
        let answer = await agent.requestStatus()
        // Both wait for others: at the same time.
        async let source = SourceCheck(configuration.source, waitSeconds: waitSeconds).finding()
        async let broker = BrokerCheck(configuration, waitSeconds: waitSeconds).finding(agent: answer)
        try emit([await broker])
        try emit([await source])
        try emit([ClockCheck.finding(SystemAgentClock().now())])
        try emit(await DiskCheck(configuration.store).findings(agent: try? answer.get()))
        try emit([agent.finding(answer)])
        return findings
    }
}
