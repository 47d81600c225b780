import OdographJSON

/// One thing that is wrong with a configuration.
public struct ConfigurationIssue: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Where it stands: `tracking.stationary.distance`; empty for the document as a whole.
    public var path: String
    /// What stands there, as JSON, shortened; nil where a key is missing or the document cannot be read.
    public var value: String?
    /// What is wrong with it and what would be right.
    public var problem: String

    /// - Parameters: as the properties of the same names.
    public init(path: String, value: String? = nil, problem: String) {
        self.path = path
        self.value = value
        self.problem = problem
    }

    /// A document that cannot be read.
    init(_ error: JSONError) {
        self.init(path: error.lineAndColumn, problem: error.reason)
    }

    /// Place, problem and value in a line. Keys of the document are among it: it is `printable`.
    public var description: String {
        let place = path.isEmpty ? "" : "\(path): "
        let found = value.map { " (found \($0))" } ?? ""
        return (place + problem + found).printable
    }
}

/// A configuration that is not applied, with everything that is wrong with it.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or the topic that it came from.
    public var origin: String
    /// All that is wrong, in the order of the document's reading.
    public var issues: [ConfigurationIssue]

    /// - Parameters: as the properties of the same names.
    public init(origin: String, issues: [ConfigurationIssue]) {
        self.origin = origin
        self.issues = issues
    }

    /// A line an issue, each with its origin.
    public var description: String {
        issues.map { "\(origin.printable): \($0.description)" }.joined(separator: "\n")
    }
}
