import Store
import CivilTime
import Wire

/// What the agent says of itself: the answer to `get_status`.
public struct AgentStatus: Hashable, Sendable, Codable {
    /// The agent's version.
    public var version: String
    /// Root, fleet and device, joined by slashes.
    public var address: String
    /// When it was said.
    public var timestamp: Timestamp
    /// The broker's address.
    public var broker: String
    /// Whether there is a connection to it.
    public var isConnected: Bool
    /// Where positions come from.
    public var source: String
    /// Positions that the source gave.
    public var sourceFixes: Int
    /// What the source skipped, by reason.
    public var sourceSkipped: [String: Int]
    /// What the tracker believed.
    public var acceptedFixes: Int
    /// What it did not, by reason.
    public var rejectedFixes: [String: Int]
    /// Whether positions are recorded.
    public var isTracking: Bool
    /// Whether the vehicle moves.
    public var isMoving: Bool
    /// Distance travelled, metres.
    public var odometer: Double
    /// Its bound, metres.
    public var odometerError: Double
    /// The geofences; absent where the agent is older than this.
    public var geofences: GeofenceStatus?
    /// The last position; absent before the first.
    public var location: LocationEvent?
    /// The store.
    public var store: StoreStatus
    /// What is wrong, if anything is.
    public var problems: [Problem]

    private enum CodingKeys: String, CodingKey {
        case version, address, timestamp, broker
        case isConnected = "is_connected"
        case source
        case sourceFixes = "source_fixes"
        case sourceSkipped = "source_skipped"
        case acceptedFixes = "accepted_fixes"
        case rejectedFixes = "rejected_fixes"
        case isTracking = "is_tracking"
        case isMoving = "is_moving"
        case odometer
        case odometerError = "odometer_error"
        case geofences, location, store, problems
    }
}

/// How many geofences there are to an agent.
public struct GeofenceStatus: Hashable, Sendable, Codable {
    /// Those in force.
    public var count: Int
    /// Those that the vehicle is in, as far as that is certain; 0 while nothing is to be known of it.
    public var inside: Int
}

/// How full the agent's store is.
public struct StoreStatus: Hashable, Sendable, Codable {
    /// The database file.
    public var path: String
    /// Records that the broker has not acknowledged.
    public var depth: Int
    /// The time of the oldest of them.
    public var oldest: Timestamp?
    /// The newest record's number.
    public var seq: Int64
    /// The run of numbers.
    public var epoch: Int64
    /// Bytes in use.
    public var usedBytes: Int
    /// Records that the agent itself gave up: for lack of room, by age, or because the disk took none.
    public var givenUp: Int

    private enum CodingKeys: String, CodingKey {
        case path, depth, oldest, seq, epoch
        case usedBytes = "used_bytes"
        case givenUp = "given_up"
    }
}

extension StoreStatus {
    /// The status of a store.
    package init(path: String, _ statistics: StoreStatistics) {
        self.init(
            path: path, depth: statistics.depth, oldest: statistics.oldest, seq: statistics.newestSeq,
            epoch: statistics.epoch, usedBytes: statistics.usedBytes, givenUp: statistics.givenUpCount)
    }
}
