import CivilTime
import Geodesy

/// Watches a vehicle against the geofences in force.
///
/// The set is large and comes from a file of its own, so it is no part of the saved state: that has the set's identity
/// and what is going on with single fences. Loaded again, the monitor sleeps until it is given the set.
struct GeofenceMonitor: Sendable {
    /// What is in force.
    private(set) var fences = GeofenceSet()
    /// Whose wall clock the schedules of fences are on.
    private(set) var zone = ZoneRules.utc
    /// The set that the state is of; 0: none.
    private(set) var identity: UInt64 = 0

    /// Whether the set is here that the state is of.
    var isAwake: Bool { fences.identity == identity }

    /// Gives a loaded state its set.
    /// - Returns: whether it is the one that the state is of; if not, nothing has changed.
    mutating func adopt(_ new: GeofenceSet, zone: ZoneRules) -> Bool {
        guard new.identity == identity else { return false }
        fences = new
        self.zone = zone
        return true
    }

    /// Another set is in force.
    mutating func replace(with new: GeofenceSet, zone: ZoneRules) {
        fences = new
        self.zone = zone
        identity = new.identity
    }
}

extension GeofenceMonitor: Hashable {
    /// Monitors of the same set with the same state are the same.
    static func == (left: GeofenceMonitor, right: GeofenceMonitor) -> Bool {
        left.identity == right.identity
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}

extension GeofenceMonitor: Codable {
    private enum CodingKeys: String, CodingKey {
        case identity
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        identity = try container.decode(UInt64.self, forKey: .identity)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(identity, forKey: .identity)
    }
}
