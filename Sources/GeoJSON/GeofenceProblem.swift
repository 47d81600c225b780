/// One thing that is wrong with one fence; the others of its document are good all the same.
public struct GeofenceProblem: Hashable, Sendable, CustomStringConvertible {
    /// The fence's identifier; nil where it has none, or none that can be read.
    public var identifier: String?
    /// Which feature of the document it is, from 1.
    public let feature: Int
    /// Where in the document: `features[11].properties.radius`.
    public let path: String
    /// The line, from 1.
    public let line: Int
    /// What stands there, as JSON, shortened; nil where it is the feature as a whole.
    public let value: String?
    /// What is wrong and what would be right.
    public let reason: String

    /// - Parameters: as the properties of the same names.
    public init(identifier: String?, feature: Int, path: String, line: Int, value: String?, reason: String) {
        self.identifier = identifier
        self.feature = feature
        self.path = path
        self.line = line
        self.value = value
        self.reason = reason
    }

    /// `"depot" (line 12, features[11].properties.radius): … (found 3)`.
    public var description: String {
        let name = identifier.map { "\"\($0)\"" } ?? "feature \(feature)"
        let place = path.isEmpty ? "line \(line)" : "line \(line), \(path)"
        return "\(name) (\(place)): \(reason)" + (value.map { " (found \($0))" } ?? "")
    }
}
