import OdographJSON

/// A mistake in a configuration.
public struct ConfigurationIssue: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The key path, such as `tracking.stationary.distance`, or the line and column; empty for the whole document.
    public var path: String
    /// The value as JSON, shortened; nil if it is missing, cannot be parsed, or may be secret.
    public var value: String?
    /// The mistake and its correction.
    public var problem: String

    /// - Parameters: see the properties of the same names.
    public init(path: String, value: String? = nil, problem: String) {
        self.path = path
        self.value = value
        self.problem = problem
    }

    /// Creates an issue for a document that cannot be parsed.
    package init(_ error: JSONError) {
        self.init(path: error.lineAndColumn, problem: error.reason)
    }

    /// The path, problem and value in one line. It may contain keys of the document and is therefore made `printable`.
    public var description: String {
        let place = path.isEmpty ? "" : "\(path): "
        let found = value.map { " (found \($0))" } ?? ""
        return (place + problem + found).printable
    }
}

/// A configuration that was refused, with all its mistakes.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or topic of the configuration.
    public var origin: String
    /// The issues. Issues of unknown keys follow the others of the same object.
    public var issues: [ConfigurationIssue]

    /// - Parameters: see the properties of the same names.
    public init(origin: String, issues: [ConfigurationIssue]) {
        self.origin = origin
        self.issues = issues
    }

    /// One line per issue, each with the origin.
    public var description: String {
        issues.map { "\(origin.printable): \($0.description)" }.joined(separator: "\n")
    }
}
