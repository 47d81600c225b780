import Odograph
import OdographJSON
import OdographWire

/// The changes that the publication of a configuration document would make. Nothing is published for it.
public struct ConfigurationPlan: Sendable {
    /// The name of the level in reports: `all`, `group:<name>` or the vehicle.
    public let level: String
    /// The document in force; nil if there is none.
    public let old: DesiredDocument?
    /// Whether the broker retains the old document. Otherwise the vehicles use it, and the desk has kept it.
    public let isOldRetained: Bool
    /// The document that would be published.
    public let new: DesiredDocument
    /// The changed keys.
    public let difference: DocumentDifference
    /// The state of the level's document in each vehicle that reports one, by the name of the vehicle.
    public let vehicles: [(name: String, state: FleetLevelStatus)]

    /// Returns the plan as text.
    /// - Parameter width: The maximum number of characters per line; nil: no limit.
    public func text(width: Int?) -> String {
        var lines = ["level     \(level)"]
        let before = old.map { isOldRetained ? $0.text : "\($0.text), which the broker does not retain" } ?? "none"
        lines += [
            "old       \(before)", "new       \(new.isRemoval ? "the removal of the document" : new.name)",
        ]
        for (name, status) in vehicles {
            let inForce = status.inForce ?? "nothing"
            lines.append("in force  \(name): \(inForce)" + (status.state == .refused ? ", and a refused one" : ""))
        }
        let shown = lines.flatMap { Format.wrapped($0.printable, width: width, indentation: 10) }
        return shown.map { $0 + "\n" }.joined() + difference.text(width: width)
    }

    /// Returns the plan as one JSON object and a newline.
    public func json() throws -> String {
        let members: [String: JSONValue] = [
            "level": .string(level), "old": old?.jsonValue ?? .null, "old_retained": .bool(isOldRetained),
            "new": new.jsonValue, "changes": difference.jsonValue,
            "vehicles": .array(
                vehicles.map { name, status in
                    .object([
                        "device": .string(name), "state": .string(status.state.rawValue),
                        "in_force": status.inForce.map { .string($0) } ?? .null,
                    ])
                }),
        ]
        return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
    }
}

extension DesiredDocument {
    /// The document as JSON. Unknown values are null.
    var jsonValue: JSONValue {
        .object([
            "version": version.map { .string($0) } ?? .null, "hash": .string(hash), "removal": .bool(isRemoval),
            "sender": sender.map { .string($0) } ?? .null,
        ])
    }
}
