import Glibc
import OdographJSON
import Wire

/// The local configuration file.
public enum ConfigurationFile {
    /// The largest file that is read, bytes: a configuration has a few kilobytes, what is larger is something else.
    public static let maximumBytes = 1 << 20

    /// Reads and checks a configuration file.
    /// - Throws: ``ConfigurationError`` with everything that is wrong, and what would be right.
    public static func load(_ path: String) throws(ConfigurationError) -> AgentConfiguration {
        let document = try document(at: path)
        return try AgentConfiguration(
            document: document, origin: path, paths: PathResolver(folder: PathResolver.folder(of: path)))
    }

    /// Checks a configuration that stands in no file.
    /// - Parameters:
    ///   - text: JSON5, with the keys of a file.
    ///   - folder: where its relative paths begin; empty: the folder that the process works in.
    ///   - origin: what its mistakes are told under.
    /// - Throws: ``ConfigurationError`` with everything that is wrong, and what would be right.
    public static func parse(
        _ text: String, folder: String = "", origin: String = "configuration"
    ) throws(ConfigurationError) -> AgentConfiguration {
        try AgentConfiguration(
            document: document(of: Array(text.utf8), origin: origin), origin: origin,
            paths: PathResolver(folder: folder))
    }

    /// Reads a JSON5 document without understanding it.
    static func document(at path: String) throws(ConfigurationError) -> JSONValue {
        let bytes: [UInt8]
        switch FileReader.read(path, atMost: maximumBytes) {
        case .success(let read): bytes = read
        case .failure(let error):
            throw ConfigurationError(origin: path, issues: [ConfigurationIssue(path: "", problem: error.description)])
        }
        return try document(of: bytes, origin: path)
    }

    private static func document(of bytes: [UInt8], origin: String) throws(ConfigurationError) -> JSONValue {
        do {
            return try JSON5Parser.value(of: bytes)
        } catch {
            throw ConfigurationError(origin: origin, issues: [ConfigurationIssue(error)])
        }
    }
}
