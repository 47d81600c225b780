/// A mistake in a JSON text. No part of such a text is used.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1; 0 if the mistake has no line.
    public let line: Int
    /// The column, from 1: bytes in strict JSON, characters in JSON5.
    public let column: Int
    /// The problem and the remedy.
    public let reason: String

    /// - Parameters: as the properties of the same names.
    public init(line: Int = 0, column: Int = 0, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }

    /// The place as text, `line 3, column 17`.
    package var lineAndColumn: String { "line \(line), column \(column)" }

    /// The error as text, `line 3, column 17: …`.
    public var description: String { line > 0 ? "\(lineAndColumn): \(reason)" : reason }
}
