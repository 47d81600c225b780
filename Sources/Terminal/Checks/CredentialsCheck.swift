import Glibc
import OdographLink
import OdographSettings

/// Checks the files of secrets and certificates: that they are readable, that no other user may open the secrets, and
/// that the certificates can be used.
package struct CredentialsCheck {
    private static let subject = "credentials"

    private let broker: BrokerConfiguration
    private let device: String?
    private let secrets: [SecretFile]
    private let user: ServiceUser?

    /// - Parameters:
    ///   - broker: The settings of the broker.
    ///   - device: The name of the device; nil for a program that is none.
    ///   - secrets: Further files with secrets.
    ///   - user: The user of the service, if it is not this one.
    package init(
        broker: BrokerConfiguration, device: String? = nil, secrets: [SecretFile] = [], user: ServiceUser? = nil
    ) {
        self.broker = broker
        self.device = device
        self.secrets = secrets
        self.user = user
    }

    /// Returns a finding for each file and for the password.
    package func findings() -> [Finding] {
        var findings: [Finding] = []
        for secret in broker.secretFiles + secrets {
            findings.append(fileFinding(secret.path, secret.role, secret.exposure))
        }
        if let path = broker.tls.certificateFile { findings.append(fileFinding(path, "client certificate", nil)) }
        if let path = broker.tls.caFile { findings.append(fileFinding(path, "trusted authorities", nil)) }
        if let path = broker.tls.caFolder { findings.append(folderFinding(path)) }
        // A file with a problem of its certificate is not also right.
        let problems = CertificateCheck(broker.tls, device: device).findings()
        findings.removeAll { finding in
            finding.level == .ok && problems.contains { $0.text.contains(finding.text) }
        }
        findings += problems
        findings.append(contentsOf: passwordFindings())
        return findings
    }

    private func passwordFindings() -> [Finding] {
        guard broker.passwordFile == nil else { return [] }
        let hasPassword = (try? BrokerCredentials.password(for: broker)).flatMap { $0 } != nil
        switch (broker.username, hasPassword ? BrokerCredentials.passwordPlace(for: broker) : nil) {
        case (let name?, let place?): return [Finding(.ok, Self.subject, "user \(name), password from \(place)")]
        case (let name?, nil) where BrokerCredentials.isPasswordAbsent(for: broker):
            return [Finding(.warn, Self.subject, "user \(name): \(Self.handedOver)", advice: Self.start)]
        case (let name?, nil):
            return [
                Finding(
                    .warn, Self.subject, "user \(name) has no password",
                    advice: "set broker.password_file or \(BrokerCredentials.environmentVariable)")
            ]
        case (nil, let place?):
            return [
                Finding(
                    .warn, Self.subject, "there is a password from \(place), but no user name",
                    advice: "set broker.username, or remove the password")
            ]
        case (nil, nil):
            guard broker.tls.certificateFile == nil else { return [] }
            return [Finding(.ok, Self.subject, "none configured: this program connects anonymously")]
        }
    }

    /// OpenSSL finds a certificate in a folder only by a name made of its subject's hash, such as `4f06f81d.0`.
    private func folderFinding(_ path: String) -> Finding {
        guard access(path, R_OK | X_OK) == 0 else {
            let problem = FileReader.openingErrorText(errno, path)
            return Finding(
                .fail, Self.subject, sentence: "trusted authorities \(FileReader.name(of: path)): \(problem)")
        }
        let hasCertificate = FileReader.entryNames(in: path).contains { name in
            name.dropFirst(8).first == "." && name.prefix(8).allSatisfy(\.isHexDigit)
        }
        guard !hasCertificate else { return Finding(.ok, Self.subject, "trusted authorities \(path)") }
        return Finding(
            .fail, Self.subject, "trusted authorities \(path): no file in it has the hash of a certificate as its name",
            advice: "run openssl rehash \(path)")
    }

    private static let handedOver = "systemd hands the secrets over while the service runs"
    private static let start = "start the service"

    private func fileFinding(_ path: String, _ role: String, _ exposure: SecretFile.Exposure?) -> Finding {
        if ServiceCredentials.isAbsent(PathResolver.folder(of: path)) {
            return Finding(.warn, Self.subject, "\(role) \(path): \(Self.handedOver)", advice: Self.start)
        }
        if case .failure(let reason) = FileReader.read(path, atMost: 1 << 20) {
            return Finding(.fail, Self.subject, sentence: "\(role) \(FileReader.name(of: path)): \(reason)")
        }
        // Of a credential systemd takes care, with an access list.
        if let user, !ServiceCredentials.contains(path), let obstacle = user.obstacle(to: path, R_OK) {
            return Finding(
                .fail, Self.subject, "\(role) \(path): the service's user \(user.name) cannot read it: \(obstacle)",
                advice: "give it to that user, or let that user read it")
        }
        guard let exposure else { return Finding(.ok, Self.subject, "\(role) \(path)") }
        return Finding(.warn, Self.subject, exposure.text, advice: exposure.advice)
    }
}
