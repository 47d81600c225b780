/// A reason why a whole document is invalid. No part of such a document should be used.
public struct GeoJSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1; 0 if there is none.
    public let line: Int
    /// The byte in the line, from 1.
    public let column: Int
    /// The problem and the remedy.
    public let reason: String

    /// Creates an error from its parts.
    public init(line: Int = 0, column: Int = 0, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }

    /// The error as text, `line 3, column 17: …`.
    public var description: String { line > 0 ? "line \(line), column \(column): \(reason)" : reason }
}
