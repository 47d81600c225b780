import CivilTime

/// The payload of the channel `status`, retained, and of the last will.
public struct StatusMessage: Hashable, Sendable, Codable {
    /// Whether the device is connected.
    public enum State: String, Hashable, Sendable, Codable {
        /// It is.
        case online
        /// It said good-bye, or the broker no longer hears of it.
        case offline
    }

    /// Whether the device is connected.
    public var state: State
    /// Why: `connected`, `stopped`, or `connection_lost` in the will.
    public var reason: String
    /// The connection it speaks of; they are counted over the device's life.
    public var session: Int64
    /// The machine's boot, as the kernel names it.
    public var bootID: String
    /// The agent's run: a new random identifier at each start; nil where an older agent speaks.
    public var runID: String?
    /// The agent's version.
    public var version: String
    /// When it was said; in a will, when the connection began.
    public var timestamp: Timestamp
    /// What is wrong with the agent, if anything is.
    public var problems: [Problem]?

    /// - Parameters: as the properties of the same names.
    public init(
        state: State, reason: String, session: Int64, bootID: String, runID: String? = nil, version: String,
        timestamp: Timestamp, problems: [Problem]? = nil
    ) {
        self.state = state
        self.reason = reason
        self.session = session
        self.bootID = bootID
        self.runID = runID
        self.version = version
        self.timestamp = timestamp
        self.problems = problems
    }

    private enum CodingKeys: String, CodingKey {
        case state, reason, session
        case bootID = "boot_id"
        case runID = "run_id"
        case version, timestamp, problems
    }
}

/// Something that is wrong and that somebody should know of.
public struct Problem: Hashable, Sendable, Codable {
    /// What kind of problem, for machines: `store_damaged`, `store_failed`, `source_lost`, …
    public var code: String
    /// What it is and what would mend it, for people.
    public var text: String
    /// Since when.
    public var since: Timestamp

    /// - Parameters: as the properties of the same names.
    public init(code: String, text: String, since: Timestamp) {
        self.code = code
        self.text = text
        self.since = since
    }
}
