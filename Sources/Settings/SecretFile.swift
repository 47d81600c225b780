import Glibc
import OdographLink

/// A file that contains a secret of the agent.
package struct SecretFile: Hashable, Sendable {
    package let path: String
    /// The kind of secret, for messages.
    package let role: String

    /// - Parameters: As the properties of the same names.
    package init(path: String, role: String) { (self.path, self.role) = (path, role) }

    /// The exposure of the file to users other than its owner; nil if there is none, or the file does not exist.
    ///
    /// Credentials of the service manager are not checked: their access list looks like a group permission.
    package var exposure: Exposure? {
        guard !ServiceCredentials.contains(path) else { return nil }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o066 != 0 else { return nil }
        let others = status.st_mode & 0o006 != 0 ? "every user of this machine" : "every member of its group"
        let mode = String(status.st_mode & 0o777, radix: 8)
        return Exposure(
            text: "\(role) \(path): \(others) can open it (mode \(mode))",
            advice: "chmod 600 \(path), and make the service's user its owner")
    }

    /// A problem with the mode of a file, and its correction.
    package struct Exposure: Hashable, Sendable {
        package let text: String
        package let advice: String
    }
}

extension BrokerConfiguration {
    /// The secret files that the configuration names.
    package var secretFiles: [SecretFile] {
        [
            passwordFile.map { SecretFile(path: $0, role: "password") },
            tls.keyFile.map { SecretFile(path: $0, role: "private key") },
        ]
        .compactMap { $0 }
    }

    /// One warning, with its correction, per secret that other users of this machine may open.
    public var secretExposureWarnings: [String] {
        secretFiles.compactMap(\.exposure).map { "\($0.text); \($0.advice)" }
    }
}
