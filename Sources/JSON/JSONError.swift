/// A mistake in a JSON text. A text with a mistake is not used in any part.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1; 0 where the mistake is in no line.
    public let line: Int
    /// The place in the line, from 1: a byte of strict JSON, a character of JSON5.
    public let column: Int
    /// What is wrong and what would be right.
    public let reason: String

    /// - Parameters: as the properties of the same names.
    public init(line: Int = 0, column: Int = 0, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }

    /// `line 3, column 17`.
    package var lineAndColumn: String { "line \(line), column \(column)" }

    /// `line 3, column 17: …`.
    public var description: String { line > 0 ? "\(lineAndColumn): \(reason)" : reason }
}
