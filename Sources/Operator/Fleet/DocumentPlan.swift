import Odograph
import OdographJSON
import OdographTerminal
import OdographWire

/// The changes that the publication of a document would make. Nothing is published for it.
public struct DocumentPlan: Sendable {
    /// The changes of a document.
    public enum Changes: Hashable, Sendable {
        /// Of a configuration.
        case keys(DocumentDifference)
        /// Of a set of geofences.
        case geofences(GeofenceDifference)
    }

    /// The name of the level in reports: `all`, `group:<name>` or the vehicle.
    public let level: String
    /// The document in force; nil if there is none.
    public let old: DesiredDocument?
    /// Whether the broker retains the old document. Otherwise the vehicles use it, and the desk has kept it.
    public let isOldRetained: Bool
    /// The document that would be published.
    public let new: DesiredDocument
    /// The changes.
    public let changes: Changes
    /// The state of the level's document in each vehicle that reports one, by the name of the vehicle.
    public let vehicles: [(name: String, state: FleetLevelStatus)]
    /// The states of the vehicles' schedules with the document; none if it changes nothing about them.
    public let schedules: [PlannedSchedule]
    /// Whether vehicles use a document that neither the broker nor this desk has.
    public let isOldUnknown: Bool

    /// The identifiers of the geofences that the publication would remove.
    public var removedGeofences: [String] {
        switch changes {
        case .keys: []
        case .geofences(let difference): difference.removed
        }
    }

    /// Returns the plan as text.
    /// - Parameter width: The maximum number of characters per line; nil: no limit.
    public func text(width: Int?) -> String {
        var lines = ["level     \(level)"]
        let before = old.map { isOldRetained ? $0.text : "\($0.text), which the broker does not retain" } ?? "none"
        lines += [
            "old       \(isOldUnknown ? "unknown: neither the broker nor this desk has it" : before)",
            "new       \(new.isRemoval ? "the removal of the document" : new.name)",
        ]
        for (name, status) in vehicles {
            let inForce = status.inForce ?? "nothing"
            lines.append("in force  \(name): \(inForce)" + (status.state == .refused ? ", and a refused one" : ""))
        }
        lines += schedules.map { "now       \($0.text)" }
        let shown = lines.flatMap { Format.wrapped($0.printable, width: width, indentation: 10) }
        return shown.map { $0 + "\n" }.joined() + changes.text(width: width)
    }

    /// Returns the plan as one JSON object and a newline.
    public func json() throws -> String {
        let members: [String: JSONValue] = [
            "level": .string(level), "old": old?.jsonValue ?? .null, "old_retained": .bool(isOldRetained),
            "old_unknown": .bool(isOldUnknown), "new": new.jsonValue, "changes": changes.jsonValue,
            "schedules": .array(schedules.map(\.jsonValue)),
            "vehicles": .array(
                vehicles.map { name, status in
                    .object([
                        "device": .string(name), "state": .string(status.state.rawValue),
                        "in_force": .stringOrNull(status.inForce),
                    ])
                }),
        ]
        return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
    }
}

extension DocumentPlan.Changes {
    /// Returns one line per change, and the counts.
    /// - Parameter width: The maximum number of characters per line; nil: no limit.
    public func text(width: Int?) -> String {
        switch self {
        case .keys(let difference): difference.text(width: width)
        case .geofences(let difference): difference.text
        }
    }

    fileprivate var jsonValue: JSONValue {
        switch self {
        case .keys(let difference): difference.jsonValue
        case .geofences(let difference): difference.jsonValue
        }
    }
}

extension DesiredDocument {
    /// The document as JSON. Unknown values are null.
    var jsonValue: JSONValue {
        .object([
            "version": .stringOrNull(version), "hash": .string(hash), "removal": .bool(isRemoval),
            "sender": .stringOrNull(sender),
        ])
    }
}
