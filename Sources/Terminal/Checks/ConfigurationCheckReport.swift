import OdographJSON
import OdographSettings

/// The findings of the check of a configuration file, for programs.
public struct ConfigurationCheckReport: Sendable {
    /// The severity of an issue.
    public enum Level: String, Sendable {
        /// The file is wrong.
        case error
        /// The program works, but something needs attention.
        case warning
    }

    private let file: String
    private var issues: [JSONValue] = []
    private var isValid = true

    /// A report without an issue.
    /// - Parameter file: The configuration file.
    public init(file: String) { self.file = file }

    /// Adds an issue.
    /// - Parameters:
    ///   - level: The severity.
    ///   - path: The key path, or the line and column; nil for a file that the configuration names.
    ///   - value: The wrong value; nil if there is none.
    ///   - problem: The problem and its correction.
    public mutating func add(_ level: Level, path: String? = nil, value: String? = nil, problem: String) {
        issues.append(
            .object([
                "level": .string(level.rawValue), "path": .stringOrNull(path), "value": .stringOrNull(value),
                "problem": .string(problem),
            ]))
        if level == .error { isValid = false }
    }

    /// Adds the issues of a configuration.
    public mutating func add(_ error: ConfigurationError) {
        for issue in error.issues { add(.error, path: issue.path, value: issue.value, problem: issue.problem) }
    }

    /// Returns the report as one JSON object and a newline.
    public func json() throws -> String {
        let members: [String: JSONValue] = [
            "file": .string(file), "is_valid": .bool(isValid), "issues": .array(issues),
        ]
        return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
    }
}
