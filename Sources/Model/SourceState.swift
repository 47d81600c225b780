/// The availability of positions according to their source.
public enum SourceState: String, Hashable, Sendable {
    /// The source responds and its receiver provides positions.
    case available
    /// The source responds, but its receiver has no position (yet).
    case noFix = "no_fix"
    /// The source or its receiver is unreachable or has been silent for too long.
    case lost
}
