/// A reason why bytes or a text are not valid time zone rules.
public struct ZoneRulesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The position of the problem in the input, bytes from its start; nil if it has no single position.
    public let byteOffset: Int?
    /// The problem and the remedy.
    public let reason: String

    init(at byteOffset: Int?, _ reason: String) {
        self.byteOffset = byteOffset
        self.reason = reason
    }

    /// The reason with its position, as one line.
    public var description: String {
        byteOffset.map { "\(reason) (at byte \($0))" } ?? reason
    }
}
