/// Resolves paths of a configuration file. A relative path is relative to the folder of the file. A path with the
/// prefix `credential:` is in the folder of the service manager's credentials, see systemd.exec(5), `LoadCredential=`.
package struct PathResolver: Sendable {
    /// The folder of the configuration file; nil if the configuration is not from a file.
    package var folder: String?
    /// The folder of the service manager's credentials.
    package var credentials: String

    /// The beginning of a path in the folder of the credentials.
    static let credentialPrefix = "credential:"

    /// - Parameters: as the properties of the same names.
    package init(folder: String?, credentials: String = ServiceCredentials.folder(for: nil)) {
        self.folder = folder
        self.credentials = credentials
    }

    /// Resolves the paths of a configuration file.
    package init(file: String) {
        self.init(folder: Self.folder(of: file), credentials: ServiceCredentials.folder(for: file))
    }

    package func resolve(_ path: String) -> String {
        if path.hasPrefix(Self.credentialPrefix) {
            return credentials + "/" + path.dropFirst(Self.credentialPrefix.count)
        }
        guard let folder, !path.hasPrefix("/") else { return path }
        return folder.isEmpty ? path : folder + "/" + path
    }

    /// Returns the folder that contains a file.
    package static func folder(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "" }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }
}
