import Glibc
import Harness
import Odograph
import OdographOperator

/// An agent with the certificate that `provision` made, as it would be in the vehicle: with the configuration that
/// `provision` wrote, and the key from the folder of the service's credentials.
final class ProvisionedVehicle: Sendable {
    let folder: TemporaryFolder
    let child: ChildProcess

    /// - Parameters:
    ///   - certificate: whose certificate it has.
    ///   - certificateFile: another certificate for the same key.
    ///   - device: what it says it is; what its certificate says unless it lies.
    ///   - isWithoutCertificate: whether it comes with none.
    init(
        _ broker: SecuredBroker, certificate name: String = "van-7", certificateFile: String? = nil,
        device: String? = nil, isWithoutCertificate: Bool = false
    ) async throws {
        folder = try TemporaryFolder()
        let copied = try await ChildProcess.run("cp", ["-r", broker.vehicle(name) + "/.", folder.path])
        guard copied.ending == .exited(0) else { throw HarnessError(copied.errors) }
        // As systemd would hand it over.
        rename(folder.file("credentials/\(name).key"), folder.file("credentials/odograph_\(name).key"))
        if let certificateFile {
            _ = try await ChildProcess.run("cp", [certificateFile, folder.file("\(name).crt")])
        }
        var text = try folder.read("agent.json5").replacing(":8883", with: ":\(broker.vehiclesPort)")
        if let device { text = text.replacing("device: \"\(name)\"", with: "device: \"\(device)\"") }
        if isWithoutCertificate {
            text = text.split(separator: "\n").filter { !$0.contains("certificate_file") && !$0.contains("key_file") }
                .joined(separator: "\n")
        }
        text = text.replacing("broker: {", with: "broker: { reconnect: { minimum: 0.1, maximum: 1 },")
        guard let end = text.lastIndex(of: "}") else { throw HarnessError("no object in \(text)") }
        let path = try folder.write(
            String(text[..<end])
                + """
                  source: { simulator: { parked: 0 } }, store: { path: "agent.db" },
                  tracking: { sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } },
                }
                """, to: "agent.json5")
        child = try ChildProcess(
            AgentProcess.executable, ["run", "--config", path],
            environment: ["CREDENTIALS_DIRECTORY": folder.file("credentials")])
    }

    /// What the agent says of itself; nil while it does not answer.
    func status() async -> AgentStatus? {
        let agent = LocalAgent(configuration: nil, socketPath: folder.file("control.sock"))
        guard case .running(let status, _)? = try? await agent.status() else { return nil }
        return status
    }

    /// Waits until the agent has said something in its log, and has recorded so many positions meanwhile that none of has
    /// left.
    func waitUntilRefused(saying words: String, records: Int = 3) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if child.errors.contains(words), let status = await status(), status.store.depth >= records {
                return
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        throw HarnessError("not within 60 s: \"\(words)\" and \(records) records; \(child.errors)")
    }
}
