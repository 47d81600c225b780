/// The error of a thread that the system does not start.
public struct ThreadLimitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An error without further facts.
    public init() {}

    /// A sentence for the operator.
    public var description: String { "the system starts no further thread; raise the limit (ulimit -u)" }
}
