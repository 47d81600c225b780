import Link

/// The files that hold secrets and certificates: there, readable for the agent, and for nobody else.
struct CredentialsCheck {
    private static let subject = "credentials"

    let broker: BrokerConfiguration

    func findings() -> [Finding] {
        var findings: [Finding] = []
        for secret in broker.secretFiles { findings.append(file(secret.path, secret.role, secret.exposure)) }
        if let path = broker.tls.certificateFile { findings.append(file(path, "client certificate", nil)) }
        if let path = broker.tls.caFile { findings.append(file(path, "authorities", nil)) }
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

    private func file(_ path: String, _ role: String, _ exposure: SecretFile.Exposure?) -> Finding {
        if case .failure(let reason) = FileBytes.read(path, atMost: 1 << 20) {
            return Finding(.fail, Self.subject, sentence: "\(role) \(path): \(reason)")
        }
        guard let exposure else { return Finding(.ok, Self.subject, "\(role) \(path)") }
        return Finding(.warn, Self.subject, exposure.text, advice: exposure.advice)
    }
}
