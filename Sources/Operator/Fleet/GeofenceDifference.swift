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

    /// The number of geofences that are the same in both sets.
    public var unchangedCount = 0

    /// - Parameters:
    ///   - new: the new document. Invalid geofences of both documents are ignored, because no vehicle uses them.
    ///   - old: the document in force; nil if there is none.
    public init(_ new: [UInt8], over old: [UInt8]?) {
        let (before, after) = (Self.fences(of: old ?? []), Self.fences(of: new))
        after.forEachSlot { slot in
            guard let identifier = after.identifier(slot) else { return }
            guard let other = before.slot(of: identifier) else { return added.append(identifier) }
            if before.fingerprint(other) == after.fingerprint(slot) {
                unchangedCount += 1
            } else {
                changed.append(identifier)
            }
        }
        before.forEachSlot { slot in
            guard let identifier = before.identifier(slot) else { return }
            if after.slot(of: identifier) == nil { removed.append(identifier) }
        }
        added.sort()
        changed.sort()
        removed.sort()
    }

    private static func fences(of document: [UInt8]) -> GeofenceSet {
        if !document.isEmpty, case .set(let set, _) = GeofenceParser.parseSet(document, topic: "") { return set }
        return GeofenceSet()
    }

    /// Whether the sets are equal.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

    /// One line per geofence, and the counts.
    public var text: String {
        let lines = added.map { "+ \($0)" } + changed.map { "~ \($0)" } + removed.map { "- \($0)" }
        return lines.map { $0.printable + "\n" }.joined()
            + "\(added.count) added, \(changed.count) changed, \(removed.count) removed, \(unchangedCount) unchanged\n"
    }

    /// Returns one JSON object per geofence: `identifier`, and `change` (`added`, `changed`, `removed`).
    public func jsonLines() throws -> String {
        try objects.map { try JSONCoder.string(of: $0) + "\n" }.joined()
    }

    /// The changes as JSON.
    var jsonValue: JSONValue { .array(objects) }

    private var objects: [JSONValue] {
        let all = added.map { ($0, "added") } + changed.map { ($0, "changed") } + removed.map { ($0, "removed") }
        return all.map { .object(["identifier": .string($0), "change": .string($1)]) }
    }
}
