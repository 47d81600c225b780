import OdographGeodesy
import OdographJSON
import OdographModel
import OdographTracking
import OdographWire

/// A geofence in force, in the answer to `get_geofences`.
public struct ListedGeofence: Hashable, Sendable, Codable {
    /// The identifier.
    public var identifier: String
    /// The name for people.
    public var name: String?
    /// The kind of area.
    public var kind: Kind
    /// The kind of place.
    public var significance: String?
    /// The level that it was published to: `all`, `group:<name>`, the device's name, or `<device>/program`.
    public var level: String
    /// Whether it was published on a topic of its own, not in a whole set.
    public var isSingle: Bool
    /// Whether the vehicle is inside.
    public var isInside: Bool

    private enum CodingKeys: String, CodingKey {
        case identifier, name, kind, significance, level
        case isSingle = "single"
        case isInside = "inside"
    }
}

/// The geofences in force, or a page of them.
public struct GeofenceListing: Hashable, Sendable, Codable {
    /// The number of all geofences in force.
    public var count: Int
    /// The hash of the set, as in `reported`.
    public var hash: String
    /// The identifiers of the geofences that contain the vehicle, ascending.
    public var inside: [String]
    /// The geofences of this page, by ascending identifier.
    public var geofences: [ListedGeofence]
    /// Whether further geofences follow.
    public var more: Bool

    /// - Parameters:
    ///   - after: The identifier after which the page begins, in byte order.
    ///   - limit: The maximum number of geofences.
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
                identifier: identifier, name: rule?.name,
                kind: ListedGeofence.Kind(rawValue: set.index.kindName(slot) ?? ""),
                significance: rule?.significance, level: layer.map { address.topicComponent(for: $0.level) } ?? "",
                isSingle: layer?.isSingle ?? false, isInside: within.contains(identifier))
        }
    }
}
