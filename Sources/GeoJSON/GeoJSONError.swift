/// Why a text is no document of geofences as a whole. Nothing of such a text should be used.
public struct GeoJSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1; 0 where no line is to blame.
    public let line: Int
    /// The byte of the line, from 1.
    public let column: Int
    /// What is wrong and what would be right.
    public let reason: String

    /// - Parameters: as the properties of the same names.
    public init(line: Int = 0, column: Int = 0, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }

    /// `line 3, column 17: …`.
    public var description: String { line > 0 ? "line \(line), column \(column): \(reason)" : reason }
}
