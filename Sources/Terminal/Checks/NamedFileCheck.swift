import Glibc
import OdographLink
import OdographSettings

/// Checks the files that a configuration names: that each exists, that this user can read it, and its first content.
package struct NamedFileCheck {
    /// The subject of the findings.
    package static let subject = "files"
    /// More than a bundle of all public authorities.
    private static let maximumBytes = 4 << 20

    private let broker: BrokerConfiguration
    private let device: String?
    private let secrets: [SecretFile]

    /// - Parameters:
    ///   - broker: The settings of the broker.
    ///   - device: The name of the device; nil for a program that is none.
    ///   - secrets: Further files with secrets.
    package init(broker: BrokerConfiguration, device: String? = nil, secrets: [SecretFile] = []) {
        self.broker = broker
        self.device = device
        self.secrets = secrets
    }

    /// Returns a finding for each file with a problem. The level is `warn` if the file may be right: this user cannot
    /// read it, or the service manager has not handed it over.
    package func findings() -> [Finding] {
        var findings: [Finding] = []
        if let path = broker.passwordFile { findings += problem("password", path, Self.secretProblem) }
        if let path = broker.tls.certificateFile {
            findings += problem("client certificate", path, Self.certificateProblem)
        }
        if let path = broker.tls.keyFile { findings += problem("private key", path, Self.keyProblem) }
        if let path = broker.tls.caFile { findings += problem("trusted authorities", path, Self.certificateProblem) }
        if let path = broker.tls.caFolder { findings += folderProblem(path) }
        findings += CertificateCheck(broker.tls, device: device).findings()
        for secret in secrets { findings += problem(secret.role, secret.path, Self.secretProblem) }
        return findings
    }

    private func problem(_ role: String, _ path: String, _ contentProblem: ([UInt8]) -> String?) -> [Finding] {
        switch FileReader.read(path, atMost: Self.maximumBytes) {
        case .success(let bytes):
            guard let problem = contentProblem(bytes) else { return [] }
            return [Finding(.fail, Self.subject, sentence: "\(role) \(path): \(problem)")]
        case .failure(let error):
            let credentials = PathResolver.folder(of: path)
            if ServiceCredentials.contains(path), credentials != ServiceCredentials.none, access(credentials, X_OK) != 0
            {
                let name = path.dropFirst(credentials.count + 1)
                return [
                    Finding(
                        .warn, Self.subject,
                        "\(role) \(name): not checked, the service manager hands it to the service",
                        advice: "run doctor as root when the service has started")
                ]
            }
            let isForeign = access(path, F_OK) == 0 ? access(path, R_OK) != 0 : errno == EACCES
            return [
                Finding(
                    isForeign ? .warn : .fail, Self.subject, sentence: "\(role) \(FileReader.name(of: path)): \(error)")
            ]
        }
    }

    private func folderProblem(_ path: String) -> [Finding] {
        guard access(path, R_OK | X_OK) != 0 else { return [] }
        let error = errno
        let level: Finding.Level = error == EACCES && !ServiceCredentials.isMissing(path) ? .warn : .fail
        let problem = FileReader.openingErrorText(error, path)
        return [Finding(level, Self.subject, sentence: "trusted authorities \(FileReader.name(of: path)): \(problem)")]
    }

    private static func secretProblem(_ bytes: [UInt8]) -> String? {
        let hasSecret = bytes.first.map { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") } ?? false
        return hasSecret ? nil : "the first line is empty; write the secret into it"
    }

    private static func certificateProblem(_ bytes: [UInt8]) -> String? {
        contains(bytes, "CERTIFICATE-----") ? nil : "contains no certificate; give a file in PEM form"
    }

    private static func keyProblem(_ bytes: [UInt8]) -> String? {
        contains(bytes, "PRIVATE KEY-----") ? nil : "contains no private key; give a file in PEM form"
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains(text)
    }
}
