/// What became of the fixes that the tracker was given.
public struct TrackerCounters: Hashable, Sendable, Codable {
    /// How many there were.
    public internal(set) var received = 0
    /// How many were believed.
    public internal(set) var accepted = 0
    /// How many were not, by reason: `inaccurate`, `nullIsland`, `duplicate`, `stale`, `early`,
    /// `timeBackwards`, `timeJump`, `implausible`.
    public internal(set) var rejected: [String: Int] = [:]
}
