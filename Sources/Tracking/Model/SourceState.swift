/// Whether positions can be had, as the source of fixes knows it.
public enum SourceState: String, Hashable, Sendable, Codable {
    /// The source answers and its receiver gives positions.
    case available
    /// The source answers, but its receiver has no position (yet).
    case noFix = "no_fix"
    /// The source, or its receiver, cannot be reached, or said nothing for too long.
    case lost
}
