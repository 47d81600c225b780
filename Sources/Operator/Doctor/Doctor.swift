import Glibc
import Odograph
import OdographPositioning
import OdographTerminal

/// Checks everything that an agent needs, without starting one.
public struct Doctor: Sendable {
    private let path: String
    private let waitSeconds: Double

    /// - Parameters:
    ///   - path: the path of the configuration file.
    ///   - waitSeconds: the timeout for the broker and for the receiver.
    public init(configuration path: String, waitSeconds: Double) {
        self.path = path
        self.waitSeconds = waitSeconds
    }

    /// Runs the checks, and reports each finding as soon as it is known, always in the same order.
    /// - Returns: all findings. A failed check is a finding, not an error.
    /// - Throws: the errors of `report`.
    public func runChecks(_ report: (Finding) throws -> Void) async throws -> [Finding] {
        var findings: [Finding] = []
        func emit(_ more: [Finding]) throws {
            for finding in more { try report(finding) }
            findings += more
        }
        let configuration: AgentConfiguration
        do {
            configuration = try ConfigurationFile.load(path).withCertificateInUse()
        } catch {
            try emit(error.issues.map { Finding(.fail, "configuration", "\(error.origin): \($0)", advice: nil) })
            try emit([ClockCheck.finding(consequence: "the agent uses the receiver's time")])
            return findings
        }
        let unit = ServiceCredentials.unit(of: path).map { UnitCheck($0, program: "agent") }
        let user = geteuid() == 0 ? unit?.user : nil
        try emit([ConfigurationPlaceCheck.finding(path, user: user)])
        try emit(
            CredentialsCheck(broker: configuration.broker, device: configuration.address.device, user: user).findings())
        let agent = AgentCheck(configuration)
        let answer = await agent.requestStatus()
        // These checks wait for other programs and therefore run concurrently.
        async let source = SourceCheck(
            source: configuration.source, tracking: configuration.tracking.core, waitSeconds: waitSeconds
        ).finding()
        async let vehicle = VehicleCheck(configuration.vehicle, waitSeconds: waitSeconds).findings()
        async let broker = BrokerCheck(configuration, waitSeconds: waitSeconds).finding(agent: answer)
        try emit([await broker])
        try emit([await source])
        try emit(await vehicle)
        try emit([ClockCheck.finding(consequence: "the agent uses the receiver's time")])
        try emit(await DiskCheck(configuration.store, user: user).findings(agent: try? answer.get()))
        if let finding = BudgetCheck.finding(agent: try? answer.get()) { try emit([finding]) }
        try emit([agent.finding(answer)])
        if let unit { try emit([unit.finding()]) }
        return findings
    }
}
