import Glibc
import OdographLink

/// Finds the broker's password. A password is never an argument, because every user can read the command line.
package enum BrokerCredentials {
    /// The name of the environment variable. In lower case it is the name of the service manager's credential.
    package static let environmentVariable = "ODOGRAPH_BROKER_PASSWORD"

    /// Returns the password: from the configured file, else from the environment, else from the service manager's
    /// credentials for this configuration (`LoadCredential=odograph_broker_password:…`). Nil if there is none.
    /// - Throws: ``ConfigurationError`` if the file cannot be read, or a file of the broker is the credential of a
    ///   service and this configuration is that of no service.
    package static func password(for broker: BrokerConfiguration) throws(ConfigurationError) -> Secret? {
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
        if let path = broker.passwordFile { return try read(path) }
        if let value = getenv(environmentVariable) { return Secret(String(cString: value)) }
        let path = broker.credentialsFolder + "/" + environmentVariable.lowercased()
        return access(path, F_OK) == 0 ? try read(path) : nil
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
