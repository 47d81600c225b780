import Glibc
import Link

/// A file that holds a secret of the agent.
package struct SecretFile: Hashable, Sendable {
    package let path: String
    /// What it holds, in a word or two.
    package let role: String

    /// Whether users other than its owner may open it, and how to change that; nil where they may not, or the file is not there.
    ///
    /// What the service manager hands over is left out: it guards those files with an access list, which looks like a mode for the group.
    package var exposure: Exposure? {
        guard !path.hasPrefix(PathResolver.credentialsFolder + "/") else { return nil }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o066 != 0 else { return nil }
        let others = status.st_mode & 0o006 != 0 ? "every user of this machine" : "every member of its group"
        let mode = String(status.st_mode & 0o777, radix: 8)
        return Exposure(
            text: "\(role) \(path): \(others) may open it (mode \(mode))",
            advice: "chmod 600 \(path), and make it the agent's own")
    }

    /// What is wrong with the mode of a secret's file.
    package struct Exposure: Hashable, Sendable {
        package let text: String
        package let advice: String
    }
}

extension BrokerConfiguration {
    /// The files of the secrets that are named.
    package var secretFiles: [SecretFile] {
        [
            passwordFile.map { SecretFile(path: $0, role: "password") },
            tls.keyFile.map { SecretFile(path: $0, role: "private key") },
        ]
        .compactMap { $0 }
    }

    /// A sentence for each secret that other users of this machine may read, with what to do.
    public var secretExposureWarnings: [String] {
        secretFiles.compactMap(\.exposure).map { "\($0.text); \($0.advice)" }
    }
}
