import Glibc
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

    /// Reads a JSON5 document without understanding it.
    static func document(at path: String) throws(ConfigurationError) -> JSONValue {
        let bytes: [UInt8]
        switch FileBytes.read(path, atMost: maximumBytes) {
        case .success(let read): bytes = read
        case .failure(let error):
            throw ConfigurationError(origin: path, issues: [ConfigurationIssue(path: "", problem: error.description)])
        }
        do {
            return try JSONText.json5(bytes)
        } catch {
            throw ConfigurationError(origin: path, issues: [ConfigurationIssue(error)])
        }
    }
}
