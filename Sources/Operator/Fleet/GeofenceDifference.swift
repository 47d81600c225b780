import Odograph
import OdographJSON
import OdographTracking

/// The difference between two sets of geofences.
public struct GeofenceDifference: Hashable, Sendable {
    /// The identifiers of geofences that are only in the new set, ascending.
    public var added: [String] = []
    /// The identifiers of geofences that differ, ascending.
    public var changed: [String] = []
    /// The identifiers of geofences that are only in the old set, ascending.
    public var removed: [String] = []

    /// - Parameters:
    ///   - new: the geofences of a file.
    ///   - old: the document that the broker retains; nil if there is none. Its invalid geofences are ignored, because
    ///     no vehicle uses them.
    public init(_ new: GeofenceFile, over old: [UInt8]?) {
        var before = GeofenceSet()
        if let old, case .set(let set, _) = GeofenceParser.parseSet(old, topic: "") { before = set }
        new.fences.forEachSlot { slot in
            guard let identifier = new.fences.identifier(slot) else { return }
            guard let other = before.slot(of: identifier) else { return added.append(identifier) }
            if before.fingerprint(other) != new.fences.fingerprint(slot) { changed.append(identifier) }
        }
        before.forEachSlot { slot in
            guard let identifier = before.identifier(slot) else { return }
            if new.fences.slot(of: identifier) == nil { removed.append(identifier) }
        }
        added.sort()
        changed.sort()
        removed.sort()
    }

    /// Whether the sets are equal.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

    /// One line per geofence, and the counts.
    public var text: String {
        let lines = added.map { "+ \($0)" } + changed.map { "~ \($0)" } + removed.map { "- \($0)" }
        return lines.map { $0.printable + "\n" }.joined()
            + "\(added.count) added, \(changed.count) changed, \(removed.count) removed\n"
    }

    /// Returns one JSON object per geofence: `identifier`, and `change` (`added`, `changed`, `removed`).
    public func jsonLines() throws -> String {
        let all = added.map { ($0, "added") } + changed.map { ($0, "changed") } + removed.map { ($0, "removed") }
        return try all.map { identifier, change in
            let members: [String: JSONValue] = ["identifier": .string(identifier), "change": .string(change)]
            return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
        }.joined()
    }
}
