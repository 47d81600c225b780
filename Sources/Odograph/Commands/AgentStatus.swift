import OdographStore
import OdographCivilTime
import OdographWire

/// The status of a running agent: the response to `get_status`.
public struct AgentStatus: Hashable, Sendable, Codable {
    /// The agent's version.
    public var version: String
    /// Root, fleet and device, joined by slashes.
    public var address: String
    /// The time of the response.
    public var timestamp: Timestamp
    /// The broker's address.
    public var broker: String
    /// Whether the agent is connected to the broker.
    public var isConnected: Bool
    /// The source of the positions.
    public var source: String
    /// The number of fixes from the source.
    public var sourceFixes: Int
    /// The number of items that the source skipped, by reason.
    public var sourceSkipped: [String: Int]
    /// The number of fixes that the tracker accepted.
    public var acceptedFixes: Int
    /// The number of fixes that the tracker rejected, by reason.
    public var rejectedFixes: [String: Int]
    /// Whether tracking is enabled.
    public var isTracking: Bool
    /// Whether the vehicle is moving; absent while the schedule is closed in mode `stop` or `private`, and where
    /// nothing says so because the position is lost.
    public var isMoving: Bool?
    /// The distance travelled, metres.
    public var odometer: Double
    /// The error bound of the odometer, metres.
    public var odometerError: Double
    /// The geofence counts.
    public var geofences: GeofenceStatus
    /// The last position; absent before the first and in private time.
    public var location: LocationEvent?
    /// The driver that a program on the vehicle has set; absent for none, and in private time.
    public var driver: String?
    /// The tag of records now, or the name of the private time that a program began; absent for none.
    public var tag: String?
    /// True in private time; absent otherwise.
    public var isPrivate: Bool?
    /// The state of the store.
    public var store: StoreStatus
    /// The traffic budget; absent if there is none.
    public var budget: BudgetState?
    /// The ends of the certificates of the connection; absent without TLS.
    public var certificates: CertificateEnds?
    /// The current problems.
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
        case geofences, location, driver, tag
        case isPrivate = "is_private"
        case store, budget, certificates, problems
    }
}

/// The geofence counts of an agent.
public struct GeofenceStatus: Hashable, Sendable, Codable {
    /// The number of geofences in force.
    public var count: Int
    /// The number of geofences that certainly contain the vehicle; 0 while its position is unknown.
    public var inside: Int
}

/// The fill level of the agent's store.
public struct StoreStatus: Hashable, Sendable, Codable {
    /// The path of the database file.
    public var path: String
    /// The number of records that the broker has not acknowledged.
    public var depth: Int
    /// The time of the oldest stored record. It may be acknowledged but not yet deleted.
    public var oldest: Timestamp?
    /// The sequence number of the newest record.
    public var seq: Int64
    /// The epoch of the sequence numbers.
    public var epoch: Int64
    /// The bytes in use.
    public var usedBytes: Int
    /// The number of records that the agent deleted undelivered: because of space, age, or a failed write.
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
