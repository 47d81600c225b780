/// The geofences in force, as `reported` tells of them.
public struct ReportedGeofences: Hashable, Sendable, Codable {
    /// How many.
    public var count: Int
    /// Stands for the content of the whole set, whatever order it came in, 16 hexadecimal digits; empty for the empty set.
    public var hash: String
    /// The levels that something is known of, the weakest first.
    public var levels: [ReportedGeofenceLevel]
    /// What was refused and why, the first of each level; empty where all is in force.
    public var errors: [ReportedGeofenceError]

    /// - Parameters: as the properties of the same names.
    public init(
        count: Int = 0, hash: String = "", levels: [ReportedGeofenceLevel] = [], errors: [ReportedGeofenceError] = []
    ) {
        self.count = count
        self.hash = hash
        self.levels = levels
        self.errors = errors
    }

    /// Takes what older agents said as well.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        count = try container.decode(Int.self, forKey: .count)
        hash = try container.decode(String.self, forKey: .hash)
        levels = try container.decodeIfPresent([ReportedGeofenceLevel].self, forKey: .levels) ?? []
        errors = try container.decodeIfPresent([ReportedGeofenceError].self, forKey: .errors) ?? []
    }

    private enum CodingKeys: String, CodingKey {
        case count, hash, levels, errors
    }
}

/// A level of geofences.
public struct ReportedGeofenceLevel: Hashable, Sendable, Codable {
    /// `all`, `group:<name>`, or the device's name.
    public var level: String
    /// SHA-256 of the newest whole set, as `sha256sum` gives it for the file that was published; absent where there is none.
    public var hash: String?
    /// Whether that set is in force, as far as its fences are good.
    public var isApplied: Bool
    /// Where it is refused: the hash of the set of this level that stays in force; absent where there is none.
    public var hashInForce: String?
    /// How many fences of the whole set are good.
    public var count: Int
    /// How many mistakes its fences have.
    public var errorCount: Int
    /// How many fences came one by one.
    public var singleCount: Int

    /// - Parameters: as the properties of the same names.
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

/// One thing that is wrong with a geofence, or with a document of them.
public struct ReportedGeofenceError: Hashable, Sendable, Codable {
    /// The topic that it came on.
    public var topic: String
    /// The fence; absent where it has no identifier, or where it is the document.
    public var identifier: String?
    /// Where in the document: `features[3].properties.radius`; empty for the document as a whole.
    public var path: String
    /// The line of the document, from 1.
    public var line: Int
    /// What stands there, shortened; absent where it is the fence as a whole.
    public var value: String?
    /// What is wrong with it and what would be right.
    public var message: String

    /// - Parameters: as the properties of the same names.
    public init(topic: String, identifier: String?, path: String, line: Int, value: String?, message: String) {
        self.topic = topic
        self.identifier = identifier
        self.path = path
        self.line = line
        self.value = value
        self.message = message
    }
}
