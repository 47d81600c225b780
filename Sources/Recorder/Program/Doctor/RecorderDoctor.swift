import Glibc
import OdographSettings
import OdographTerminal

/// Checks everything that a recorder needs, without starting one, and without changing the database.
package struct RecorderDoctor: Sendable {
    /// The name of the unit of the package.
    private static let unit = "odograph-recorder.service"

    private let path: String
    private let waitSeconds: Double

    /// - Parameters:
    ///   - path: The path of the configuration file.
    ///   - waitSeconds: The time limit for the broker, seconds.
    package init(configuration path: String, waitSeconds: Double) {
        (self.path, self.waitSeconds) = (path, waitSeconds)
    }

    /// Runs the checks, and reports each finding as soon as it is known, always in the same order.
    /// - Returns: All findings. A failed check is a finding, not an error.
    /// - Throws: The errors of `report`.
    package func runChecks(_ report: (Finding) throws -> Void) async throws -> [Finding] {
        var findings: [Finding] = []
        func emit(_ more: [Finding]) throws {
            for finding in more { try report(finding) }
            findings += more
        }
        let clock = ClockCheck.finding(consequence: "the times of reception and the retention follow a wrong clock")
        let configuration: RecorderConfiguration
        do {
            configuration = try RecorderConfiguration.load(path)
        } catch {
            try emit(error.issues.map { Finding(.fail, "configuration", "\(error.origin): \($0)", advice: nil) })
            try emit([clock])
            return findings
        }
        let unit = UnitCheck(Self.unit, program: "recorder")
        let user = geteuid() == 0 && ServiceCredentials.unit(of: path) == Self.unit ? unit.user : nil
        try emit([ConfigurationPlaceCheck.finding(path, user: user)])
        let recording = configuration.recording
        try emit(
            CredentialsCheck(broker: recording.broker, secrets: configuration.secretFiles, user: user).findings())
        let broker = await RecorderBrokerCheck(configuration, waitSeconds: waitSeconds).observe()
        try emit(broker.findings)
        let database = RecorderDatabaseCheck(recording, user: user)
        try emit(database.findings())
        try emit(VehicleCheck(recording, broker: broker).findings(database.vehicles()))
        try emit([clock])
        try emit([unit.finding(isIdle: RecorderSupervisor.isIdle)])
        return findings
    }
}
