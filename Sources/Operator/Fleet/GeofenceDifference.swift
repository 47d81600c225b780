import Odograph
import Tracking

/// How two sets of geofences differ.
public struct GeofenceDifference: Hashable, Sendable {
    /// The identifiers of fences that only the new set has, ascending.
    public var added: [String] = []
    /// Of those that are other in the new set.
    public var changed: [String] = []
    /// Of those that only the old set has.
    public var removed: [String] = []

    /// - Parameters:
    ///   - new: a file.
    ///   - old: what the broker keeps; nil for nothing. Fences of it that are wrong are in force nowhere, and count as not there.
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

    /// Whether there is no difference.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

    /// A line a fence, and how many they are.
    public var text: String {
        let lines = added.map { "+ \($0)" } + changed.map { "~ \($0)" } + removed.map { "- \($0)" }
        return lines.map { $0.printable + "\n" }.joined()
            + "\(added.count) added, \(changed.count) changed, \(removed.count) removed\n"
    }
}
