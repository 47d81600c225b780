/// Constants of this build of the agent.
public enum Build {
    /// The version, see semver.org.
    public static let version = "1.0.0"
    /// The earliest valid date of a position, 2026-11-01T00:00:00Z, in milliseconds since 1970. An earlier date
    /// indicates a week rollover of the receiver. It is raised with every release.
    package static let earliestDateMilliseconds: Int64 = 1_793_491_200_000
}
