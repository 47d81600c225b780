import Glibc
import OdographJSON
import OdographWire

/// Reads the local configuration file.
public enum ConfigurationFile {
    /// The maximum size of the file, bytes. A configuration has a few kilobytes; a larger file is a different file.
    public static let maximumBytes = 1 << 20

    /// Reads and checks a configuration file.
    /// - Throws: ``ConfigurationError`` with all mistakes and corrections.
    public static func load(_ path: String) throws(ConfigurationError) -> AgentConfiguration {
        let document = try document(at: path)
        return try AgentConfiguration(
            document: document, origin: FileReader.name(of: path),
            paths: PathResolver(file: path))
    }

    /// Checks the text of a configuration.
    /// - Parameters:
    ///   - text: JSON5 with the keys of a file.
    ///   - folder: the base of relative paths; empty: the working directory.
    ///   - origin: the name of the text in error messages.
    /// - Throws: ``ConfigurationError`` with all mistakes and corrections.
    public static func parse(
        _ text: String, folder: String = "", origin: String = "configuration"
    ) throws(ConfigurationError) -> AgentConfiguration {
        try AgentConfiguration(
            document: document(of: Array(text.utf8), origin: origin), origin: origin,
            paths: PathResolver(folder: folder))
    }

    /// Reads a JSON5 document without checking its keys.
    package static func document(at path: String) throws(ConfigurationError) -> JSONValue {
        let bytes: [UInt8]
        let origin = FileReader.name(of: path)
        switch FileReader.read(path, atMost: maximumBytes) {
        case .success(let read): bytes = read
        case .failure(let error):
            throw ConfigurationError(origin: origin, issues: [ConfigurationIssue(path: "", problem: error.description)])
        }
        return try document(of: bytes, origin: origin)
    }

    private static func document(of bytes: [UInt8], origin: String) throws(ConfigurationError) -> JSONValue {
        do {
            return try JSON5Parser.document(of: bytes)
        } catch {
            throw ConfigurationError(origin: origin, issues: [ConfigurationIssue(error)])
        }
    }
}
