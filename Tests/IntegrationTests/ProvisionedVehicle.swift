import Glibc
import OdographHarness
import Odograph
import OdographOperator

/// An agent as in a provisioned vehicle. It has the certificate and the configuration that `provision` wrote, and a key
/// in the credentials folder of the service.
final class ProvisionedVehicle: Sendable {
    let folder: TemporaryFolder
    let child: ChildProcess
    /// The device id.
    let name: String

    /// - Parameters:
    ///   - certificate: The vehicle whose certificate it has.
    ///   - certificateFile: Another certificate for the same key.
    ///   - device: A device id that differs from the certificate's name.
    ///   - isWithoutCertificate: Whether it has no certificate.
    ///   - folder: The folder of an earlier agent whose work it continues; nil for a new one.
    ///   - port: Another port than that of the broker.
    ///   - source: The source of its positions.
    init(
        _ broker: SecuredBroker, certificate name: String = "van-7", certificateFile: String? = nil,
        device: String? = nil, isWithoutCertificate: Bool = false,
        in folder: TemporaryFolder? = nil, port: UInt16? = nil, source: String = "{ simulator: { parked: 0 } }"
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        self.name = device ?? name
        let copied = try await ChildProcess.run("cp", ["-r", broker.vehicle(name) + "/.", folder.path])
        guard copied.ending == .exited(0) else { throw HarnessError(copied.errors) }
        // systemd hands over the key under this name.
        rename(folder.file("credentials/\(name).key"), folder.file("credentials/odograph_\(name).key"))
        if let certificateFile {
            _ = try await ChildProcess.run("cp", [certificateFile, folder.file("\(name).crt")])
        }
        var text = try folder.read("agent.json5").replacing(":8883", with: ":\(port ?? broker.vehiclesPort)")
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
                  source: \(source), store: { path: "agent.db" },
                  tracking: { sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } },
                }
                """, to: "agent.json5")
        child = try ChildProcess(
            AgentProcess.executable, ["run", "--config", path],
            environment: ["CREDENTIALS_DIRECTORY": folder.file("credentials")])
    }

    /// Returns the agent's status; nil if it does not answer.
    func status() async -> AgentStatus? {
        let agent = LocalAgent(configuration: nil, socketPath: folder.file("control.sock"))
        guard case .running(let status, _)? = try? await agent.status() else { return nil }
        return status
    }

    /// Waits until the agent has logged a text and has recorded positions that stay in the outbox.
    func waitUntilRefused(saying words: String, records: Int = 3) async throws {
        let end = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < end {
            if child.errors.contains(words), let status = await status(), status.store.depth >= records {
                return
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        throw HarnessError("not within 300 s: \"\(words)\" and \(records) records; \(child.errors)")
    }
}
