import OdographCivilTime

/// The payload of the channel `status`, retained, and of the last will.
public struct StatusMessage: Hashable, Sendable, Codable {
    /// The name of the device.
    public var deviceID: String
    /// Whether the device is connected.
    public var state: State
    /// The cause of the state.
    public var reason: Reason
    /// The number of the connection; it increases over the device's life.
    public var connection: Int64
    /// The kernel's identifier of the machine's boot.
    public var bootID: String
    /// The identifier of the agent's run, random at each start.
    public var runID: String
    /// The agent's version.
    public var version: String
    /// The time of the message; in a last will, the start of the connection.
    public var timestamp: Timestamp
    /// The current problems; nil if there are none.
    public var problems: [Problem]?
    /// The traffic budget; nil if there is none, and in a last will.
    public var budget: BudgetState?
    /// The records that wait while the agent does not run; nil unless it was stopped.
    public var queue: QueueState?

    /// Creates a message from its parts.
    public init(
        deviceID: String, state: State, reason: Reason, connection: Int64, bootID: String, runID: String,
        version: String, timestamp: Timestamp, problems: [Problem]? = nil, budget: BudgetState? = nil,
        queue: QueueState? = nil
    ) {
        self.deviceID = deviceID
        self.state = state
        self.reason = reason
        self.connection = connection
        self.bootID = bootID
        self.runID = runID
        self.version = version
        self.timestamp = timestamp
        self.problems = problems
        self.budget = budget
        self.queue = queue
    }

    private enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case state, reason, connection
        case bootID = "boot_id"
        case runID = "run_id"
        case version, timestamp, problems, budget, queue
    }
}

/// A problem that an operator should know.
public struct Problem: Hashable, Sendable, Codable {
    /// The kind of the problem, for programs.
    public var code: Code
    /// The problem and the remedy, for people.
    public var text: String
    /// The time since which the problem exists.
    public var since: Timestamp

    /// Creates a problem.
    public init(code: Code, text: String, since: Timestamp) {
        self.code = code
        self.text = text
        self.since = since
    }
}
