/// Why bytes or a text are not the rules of a time zone.
public struct ZoneRulesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where in the input it is, counted in bytes from its start; nil where no one place is at fault.
    public let byteOffset: Int?
    /// What is wrong, and what would be right.
    public let reason: String

    init(at byteOffset: Int?, _ reason: String) {
        self.byteOffset = byteOffset
        self.reason = reason
    }

    /// The reason with its place, as one line.
    public var description: String {
        byteOffset.map { "\(reason) (at byte \($0))" } ?? reason
    }
}
