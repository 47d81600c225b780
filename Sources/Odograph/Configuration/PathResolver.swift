import Glibc

/// Says where a path of a configuration file leads: a relative one starts at the file's own folder, and one that begins
/// with `credential:` is in the folder of what the service manager hands over, see systemd.exec(5), `LoadCredential=`.
package struct PathResolver: Sendable {
    /// The folder of the configuration file; nil where it came from elsewhere.
    package var folder: String?
    /// The folder of the service's credentials.
    package var credentials: String

    private static let credentialPrefix = "credential:"

    /// - Parameters: as the properties of the same names.
    package init(folder: String?, credentials: String = PathResolver.credentialsFolder) {
        self.folder = folder
        self.credentials = credentials
    }

    package func resolve(_ path: String) -> String {
        if path.hasPrefix(Self.credentialPrefix) {
            return credentials + "/" + path.dropFirst(Self.credentialPrefix.count)
        }
        guard let folder, !path.hasPrefix("/") else { return path }
        return folder.isEmpty ? path : folder + "/" + path
    }

    /// The folder that a file lies in.
    package static func folder(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "" }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    /// Within a service the manager says it; whoever else looks (`doctor`) finds those of the service that runs.
    package static var credentialsFolder: String {
        getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) } ?? "/run/credentials/odograph.service"
    }
}
