import OdographSettings

/// Reads the local configuration file.
public enum ConfigurationFile {
    /// The maximum size of the file, bytes.
    public static let maximumBytes = SettingsFile.maximumBytes

    /// Reads and checks a configuration file.
    /// - Throws: `ConfigurationError` with all mistakes and corrections.
    public static func load(_ path: String) throws(ConfigurationError) -> AgentConfiguration {
        let document = try SettingsFile.document(at: path)
        return try AgentConfiguration(
            document: document, origin: FileReader.name(of: path),
            paths: PathResolver(file: path))
    }

    /// Checks the text of a configuration.
    /// - Parameters:
    ///   - text: JSON5 with the keys of a file.
    ///   - folder: the base of relative paths; empty: the working directory.
    ///   - origin: the name of the text in error messages.
    /// - Throws: `ConfigurationError` with all mistakes and corrections.
    public static func parse(
        _ text: String, folder: String = "", origin: String = "configuration"
    ) throws(ConfigurationError) -> AgentConfiguration {
        try AgentConfiguration(
            document: SettingsFile.document(of: Array(text.utf8), origin: origin), origin: origin,
            paths: PathResolver(folder: folder))
    }
}
