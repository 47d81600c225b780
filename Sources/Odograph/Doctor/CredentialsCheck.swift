import Glibc
import Link

/// The files that hold secrets and certificates: there, readable for the agent, and for nobody else.
struct CredentialsCheck {
    private static let subject = "credentials"

    let broker: BrokerConfiguration

    func findings() -> [Finding] {
        var findings: [Finding] = []
        if let path = broker.passwordFile { findings.append(file(path, "password", isSecret: true)) }
        if let path = broker.tls.keyFile { findings.append(file(path, "private key", isSecret: true)) }
        if let path = broker.tls.certificateFile { findings.append(file(path, "client certificate", isSecret: false)) }
        if let path = broker.tls.caFile { findings.append(file(path, "authorities", isSecret: false)) }
        findings.append(contentsOf: password())
        return findings
    }

    private func password() -> [Finding] {
        guard broker.passwordFile == nil else { return [] }
        let hasPassword = (try? Credentials.password(for: broker)).flatMap { $0 } != nil
        switch (broker.username, hasPassword) {
        case (let name?, true): return [Finding(.ok, Self.subject, "user \(name), password from the environment")]
        case (let name?, false):
            return [
                Finding(
                    .warn, Self.subject, "user \(name) has no password",
                    advice: "write broker.password_file, or set \(Credentials.environmentName)")
            ]
        case (nil, true):
            return [
                Finding(
                    .warn, Self.subject, "there is a password in the environment and no user",
                    advice: "write broker.username, or unset \(Credentials.environmentName)")
            ]
        case (nil, false):
            guard broker.tls.certificateFile == nil else { return [] }
            return [Finding(.ok, Self.subject, "none configured: the broker is spoken to as anybody")]
        }
    }

    private func file(_ path: String, _ role: String, isSecret: Bool) -> Finding {
        if case .failure(let reason) = FileBytes.read(path, atMost: 1 << 20) {
            return Finding(.fail, Self.subject, sentence: "\(role) \(path): \(reason)")
        }
        var status = stat()
        guard isSecret, stat(path, &status) == 0, status.st_mode & 0o007 != 0 else {
            return Finding(.ok, Self.subject, "\(role) \(path)")
        }
        let mode = String(status.st_mode & 0o777, radix: 8)
        return Finding(
            .warn, Self.subject, "\(role) \(path): every user of this machine may open it (mode \(mode))",
            advice: "chmod 600 \(path), and make it the agent's own")
    }
}
