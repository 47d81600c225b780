/// Counters of the fixes that the tracker received.
public struct TrackerCounters: Hashable, Sendable, Codable {
    /// The number of fixes.
    public internal(set) var received = 0
    /// The number of accepted fixes.
    public internal(set) var accepted = 0
    /// The number of rejected fixes by reason: `inaccurate`, `nullIsland`, `duplicate`, `stale`, `early`,
    /// `timeBackwards`, `timeJump`, `implausible`.
    public internal(set) var rejected: [String: Int] = [:]
}
