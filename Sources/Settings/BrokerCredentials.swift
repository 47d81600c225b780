import Glibc
import OdographLink

/// Finds the broker's password. A password is never an argument, because every user can read the command line.
package enum BrokerCredentials {
    /// The name of the environment variable. In lower case it is the name of the service manager's credential.
    package static let environmentVariable = "ODOGRAPH_BROKER_PASSWORD"

    /// Returns the password: from the configured file, else from the environment, else from the service manager's
    /// credentials for this configuration (`LoadCredential=odograph_broker_password:…`). Nil if there is none.
    /// - Throws: ``ConfigurationError`` if the file cannot be read.
    package static func password(for broker: BrokerConfiguration) throws(ConfigurationError) -> Secret? {
        switch Source(of: broker) {
        case .file(let path): return try read(path)
        case .environment(let value): return Secret(value)
        case nil: return nil
        }
    }

    /// Checks the paths of the settings. Only a program that connects needs this: another one, which reads the
    /// configuration for the path of a socket, can do without the credentials.
    /// - Throws: ``ConfigurationError`` if a file of the broker is the credential of a service and this configuration
    ///   is that of no service.
    package static func checkPaths(of broker: BrokerConfiguration) throws(ConfigurationError) {
        let files = [
            ("password_file", broker.passwordFile), ("tls.ca_file", broker.tls.caFile),
            ("tls.ca_folder", broker.tls.caFolder), ("tls.certificate_file", broker.tls.certificateFile),
            ("tls.key_file", broker.tls.keyFile),
        ]
        for case (let key, let path?) in files where ServiceCredentials.isMissing(path) {
            throw ConfigurationError(
                origin: FileReader.name(of: path),
                issues: [ConfigurationIssue(path: "broker.\(key)", problem: ServiceCredentials.problem)])
        }
    }

    /// Returns whether a secret of the settings is a credential of a service that does not run: systemd hands it over
    /// while the service runs.
    package static func areAbsent(for broker: BrokerConfiguration) -> Bool {
        let paths = [broker.passwordFile, broker.tls.caFile, broker.tls.certificateFile, broker.tls.keyFile]
        return isPasswordAbsent(for: broker)
            || paths.compactMap { $0 }.contains { ServiceCredentials.isAbsent(PathResolver.folder(of: $0)) }
    }

    /// Returns whether only the folder of a service that does not run can have the password.
    package static func isPasswordAbsent(for broker: BrokerConfiguration) -> Bool {
        broker.username != nil && Source(of: broker) == nil && ServiceCredentials.isAbsent(broker.credentialsFolder)
    }

    /// Where the password is.
    private enum Source {
        case file(String)
        case environment(String)

        init?(of broker: BrokerConfiguration) {
            let credential = broker.credentialsFolder + "/" + BrokerCredentials.environmentVariable.lowercased()
            if let path = broker.passwordFile {
                self = .file(path)
            } else if let value = getenv(BrokerCredentials.environmentVariable) {
                self = .environment(String(cString: value))
            } else if access(credential, F_OK) == 0 {
                self = .file(credential)
            } else {
                return nil
            }
        }
    }

    /// The place of the password in words, without the password; nil if there is none.
    package static func passwordPlace(for broker: BrokerConfiguration) -> String? {
        switch Source(of: broker) {
        case .file(let path): FileReader.name(of: path)
        case .environment: "the environment"
        case nil: nil
        }
    }

    private static func read(_ path: String) throws(ConfigurationError) -> Secret {
        switch FileReader.firstLine(of: path, atMost: 4096) {
        case .success(let line): return Secret(line)
        case .failure(let error):
            throw ConfigurationError(
                origin: path, issues: [ConfigurationIssue(path: "broker.password_file", problem: error.description)])
        }
    }
}
