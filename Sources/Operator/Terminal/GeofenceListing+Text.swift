import Odograph

extension GeofenceListing {
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
            text += TextColumn.line([fence.identifier, fence.kind.rawValue, from, fence.name ?? ""], columns)
        }
        return text
    }
}
