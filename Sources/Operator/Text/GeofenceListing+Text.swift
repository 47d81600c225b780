import Odograph
import OdographJSON
import OdographTerminal

extension GeofenceListing {
    /// Returns a table for a person.
    /// - Parameter width: The maximum number of characters per line; nil: no limit.
    public func text(width: Int? = nil) -> String {
        guard count > 0 else { return "no geofences are in force\n" }
        let rows = geofences.map { fence in
            [
                fence.identifier, fence.kind.rawValue, fence.level + (fence.isSingle ? " (single)" : ""),
                fence.name ?? "",
            ]
        }
        let table = TextTable(
            [.init("GEOFENCE"), .init("KIND", dropOrder: 1), .init("FROM", dropOrder: 2), .init("NAME", dropOrder: 3)],
            rows: rows)
        let head = [
            "\(Format.count(count, "geofence", "geofences")) in force, set \(hash)",
            inside.isEmpty ? "inside none of them" : "inside: \(inside.joined(separator: ", "))",
        ]
        let lines = head.flatMap { Format.wrapped($0.printable, width: width, indentation: 2) }
        return lines.map { $0 + "\n" }.joined() + table.text(width: width)
    }

    /// Returns one JSON object per geofence, with the hash of the set.
    public func jsonLines() throws -> String {
        try geofences.map { fence in
            var members = try JSONCoder.members(of: fence)
            members["set_hash"] = .string(hash)
            return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
        }.joined()
    }
}
