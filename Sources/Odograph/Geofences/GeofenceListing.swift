import Geodesy
import OdographJSON
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
    init(_ levels: GeofenceLevels, address: DeviceAddress, inside: [String], after: String?, limit: Int) {
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

    /// A table for a person.
    public var text: String {
        guard count > 0 else { return "no geofences are in force\n" }
        let columns = [
            TextColumn("GEOFENCE", width: 24), TextColumn("KIND", width: 8), TextColumn("FROM", width: 16),
            TextColumn("NAME", width: 24),
        ]
        var text = "\(Format.count(count, "geofence", "geofences")) in force, set \(hash.printable)\n"
        text += inside.isEmpty ? "inside none of them\n" : "inside: \(inside.joined(separator: ", ").printable)\n"
        text += TextColumn.line(columns.map(\.title), columns)
        for fence in geofences {
            let from = fence.level + (fence.isSingle ? " (single)" : "")
            text += TextColumn.line([fence.identifier, fence.kind, from, fence.name ?? ""], columns)
        }
        return text
    }

    /// All of it for a program.
    public func json() throws -> String { try JSONCoder.prettyString(of: self) + "\n" }
}
