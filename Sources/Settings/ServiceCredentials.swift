import Glibc

/// The folders in which the service manager puts the credentials of a service, see systemd.exec(5), `LoadCredential=`.
///
/// Credentials belong to the configuration for which they were made. A program that root runs with another
/// configuration must not send the service's password to that configuration's broker.
package enum ServiceCredentials {
    /// The configuration files of the installed services, with the names of their units.
    package static let installed = [
        "/etc/odograph/agent.json5": "odograph.service",
        "/etc/odograph-recorder/recorder.json5": "odograph-recorder.service",
    ]
    /// The folder of all services. Only root and a service's user can read the folder of a service.
    private static let root = "/run/credentials/"
    /// A folder that does not exist: that of the credentials of a configuration that no service has.
    package static let none = root + "of-no-service-with-this-configuration"
    /// The sentence of an error about a file in ``none``.
    package static let problem =
        "only a service has credentials, and this is not the configuration file of one; write the path of a file"

    /// Returns the folder of the credentials for a configuration file.
    /// - Parameters:
    ///   - file: The configuration file; nil if the configuration is not from a file.
    ///   - installed: The configuration files of services, and the names of the units.
    ///   - own: The folder of the service that this process is, from its environment; nil if it is none.
    package static func folder(
        for file: String?, installed: [String: String] = Self.installed, own: String? = Self.ownFolder
    ) -> String {
        if let own { return own }
        guard let file, let unit = unit(of: file, installed: installed) else { return none }
        return root + unit
    }

    /// Returns the unit whose configuration a file is; nil if it is that of no service.
    package static func unit(of file: String, installed: [String: String] = Self.installed) -> String? {
        guard let identity = identity(of: file) else { return nil }
        return installed.first { self.identity(of: $0.key) == identity }?.value
    }

    /// Returns whether a folder of credentials does not exist because its service does not run.
    package static func isAbsent(_ folder: String) -> Bool {
        folder.hasPrefix(root) && folder != none && !FileReader.mayExist(folder)
    }

    /// Returns the path of a file as a person writes it: a credential that no service has is `credential:NAME`.
    package static func name(of path: String) -> String {
        isMissing(path) ? PathResolver.credentialPrefix + path.dropFirst(none.count + 1) : path
    }

    /// Returns whether a path is that of a credential that no service has.
    package static func isMissing(_ path: String) -> Bool { path.hasPrefix(none + "/") }

    /// Returns whether a path is that of a credential.
    package static func contains(_ path: String) -> Bool {
        path.hasPrefix(root) || ownFolder.map { path.hasPrefix($0 + "/") } ?? false
    }

    /// The folder of the service that this process is; nil if it is none.
    package static var ownFolder: String? { getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) } }

    private static func identity(of file: String) -> [UInt64]? {
        var status = stat()
        return stat(file, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
    }
}
