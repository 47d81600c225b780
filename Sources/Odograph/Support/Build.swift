/// What is known of this build of the agent.
public enum Build {
    /// The version, by semver.org.
    public static let version = "0.1.0"
    /// No position was received by this agent before this instant, 2026-11-01T00:00:00Z: an earlier date is a receiver's
    /// week rollover. Raised with every release.
    package static let earliestDateMilliseconds: Int64 = 1_793_491_200_000
}
