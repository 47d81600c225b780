import Geodesy
import Tracking
import Wire

/// A geofence in force, as `get_geofences` tells of it.
public struct ListedGeofence: Hashable, Sendable, Codable {
    /// What it is called.
    public var identifier: String
    /// What people call it.
    public var name: String?
    /// `circle`, `polygon` or `corridor`.
    public var kind: String
    /// What kind of place it is.
    public var significance: String?
    /// Where it came from: `all`, `group:<name>`, or the device's name.
    public var level: String
    /// Whether it came by itself, not in a whole set.
    public var isSingle: Bool
    /// Whether the vehicle is in it.
    public var isInside: Bool

    private enum CodingKeys: String, CodingKey {
        case identifier, name, kind, significance, level
        case isSingle = "single"
        case isInside = "inside"
    }
}

/// The geofences in force, or a page of them.
public struct GeofenceListing: Hashable, Sendable, Codable {
    /// How many there are.
    public var count: Int
    /// As in `reported`.
    public var hash: String
    /// The identifiers of those that the vehicle is in, ascending.
    public var inside: [String]
    /// They themselves, by their identifiers ascending.
    public var geofences: [ListedGeofence]
    /// Whether there are more behind the last one.
    public var more: Bool

    /// - Parameters:
    ///   - after: only identifiers behind this one, by their bytes.
    ///   - limit: so many at most.
    package init(_ levels: GeofenceLevels, address: DeviceAddress, inside: [String], after: String?, limit: Int) {
        let set = levels.activeSet
        var slots: [(identifier: String, slot: ShapeIndex.Slot)] = []
        set.forEachSlot { slot in
            guard let identifier = set.identifier(slot) else { return }
            if let after, !after.utf8.lexicographicallyPrecedes(identifier.utf8) { return }
            slots.append((identifier, slot))
        }
        slots.sort { $0.identifier.utf8.lexicographicallyPrecedes($1.identifier.utf8) }
        let within = Set(inside)
        count = set.count
        hash = GeofenceCatalog.hash(of: set)
        self.inside = inside
        more = slots.count > limit
        geofences = slots.prefix(limit).map { identifier, slot in
            let rule = set.rule(slot)
            let layer = levels.layer(ofSlot: slot)
            return ListedGeofence(
                identifier: identifier, name: rule?.name, kind: set.index.kindName(slot) ?? "",
                significance: rule?.significance, level: layer.map { address.topicComponent(for: $0.level) } ?? "",
                isSingle: layer?.isSingle ?? false, isInside: within.contains(identifier))
        }
    }

    /// All of it for a program.
    public func json() throws -> String { try JSONCoder.prettyString(of: self) + "\n" }
}
