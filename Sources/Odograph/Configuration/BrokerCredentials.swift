import Glibc
import Link

/// Finds the broker's password. It never stands on a command line, where every user of the machine can read it.
package enum BrokerCredentials {
    /// The name of the environment variable, and in lower case of the service manager's credential.
    package static let environmentVariable = "ODOGRAPH_BROKER_PASSWORD"

    /// The password: from the file that the configuration names, else from the environment, else from the credentials
    /// that the service manager handed over (`LoadCredential=odograph_broker_password:…`).
    /// - Throws: ``ConfigurationError`` where a file is named and cannot be read.
    package static func password(for broker: BrokerConfiguration) throws(ConfigurationError) -> Secret? {
        if let path = broker.passwordFile { return try read(path) }
        if let value = getenv(environmentVariable) { return Secret(String(cString: value)) }
        let path = PathResolver.credentialsFolder + "/" + environmentVariable.lowercased()
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
