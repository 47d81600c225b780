/// Why bytes are not a JSON5 document that can be used.
public struct JSON5Error: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the first byte that is wrong, from 1.
    public let line: Int
    /// Its column, in characters, from 1.
    public let column: Int
    /// The place in the document, `tracking.stationary`; empty at its top.
    public let path: String
    /// What is wrong, and what would be right.
    public let problem: String

    /// The problem with its line and column.
    public var reason: String { "\(problem) (line \(line), column \(column))" }

    /// The reason, after the path where there is one.
    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}
