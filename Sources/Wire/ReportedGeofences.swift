/// The geofences in force, as a part of `reported`.
public struct ReportedGeofences: Hashable, Sendable, Codable {
    /// The number of geofences.
    public var count: Int
    /// A hash of the content of the set, independent of its order, 16 hexadecimal digits; empty for the empty set.
    public var hash: String
    /// The levels with a set, a single geofence or an error, weakest first.
    public var levels: [ReportedGeofenceLevel]
    /// The first errors of each level; empty if everything is in force.
    public var errors: [ReportedGeofenceError]

    /// Creates a report from its parts.
    public init(
        count: Int = 0, hash: String = "", levels: [ReportedGeofenceLevel] = [], errors: [ReportedGeofenceError] = []
    ) {
        self.count = count
        self.hash = hash
        self.levels = levels
        self.errors = errors
    }
}

/// A level of geofences.
public struct ReportedGeofenceLevel: Hashable, Sendable, Codable {
    /// `all`, `group:<name>`, the device's name, or `<device>/program`.
    public var level: String
    /// SHA-256 of the newest set, as `sha256sum` shows for the published file; absent if there is no set.
    public var hash: String?
    /// Whether that set is in force, without its wrong geofences.
    public var isApplied: Bool
    /// If the newest set is refused: the hash of the earlier set in force; absent if there is none.
    public var hashInForce: String?
    /// The number of valid geofences in the set.
    public var count: Int
    /// The number of errors in the set.
    public var errorCount: Int
    /// The number of geofences that were published singly.
    public var singleCount: Int

    /// Creates a level from its parts.
    public init(
        level: String, hash: String?, isApplied: Bool, hashInForce: String?, count: Int, errorCount: Int,
        singleCount: Int
    ) {
        self.level = level
        self.hash = hash
        self.isApplied = isApplied
        self.hashInForce = hashInForce
        self.count = count
        self.errorCount = errorCount
        self.singleCount = singleCount
    }

    private enum CodingKeys: String, CodingKey {
        case level, hash
        case isApplied = "applied"
        case hashInForce = "hash_in_force"
        case count
        case errorCount = "error_count"
        case singleCount = "single_count"
    }
}

/// An error of a geofence, or of a document of geofences.
public struct ReportedGeofenceError: Hashable, Sendable, Codable {
    /// The topic of the document.
    public var topic: String
    /// The geofence; absent if it has no identifier, or for an error of the whole document.
    public var identifier: String?
    /// The place in the document, `features[3].properties.radius`; empty for the whole document.
    public var path: String
    /// The line of the document, from 1; 0 if there is none.
    public var line: Int
    /// The wrong value, shortened; absent for the whole geofence.
    public var value: String?
    /// The problem and the remedy.
    public var message: String

    /// Creates an error from its parts.
    public init(topic: String, identifier: String?, path: String, line: Int, value: String?, message: String) {
        self.topic = topic
        self.identifier = identifier
        self.path = path
        self.line = line
        self.value = value
        self.message = message
    }
}
