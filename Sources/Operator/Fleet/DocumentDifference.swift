import Odograph
import OdographJSON
import OdographTerminal

/// The difference between two configuration documents, key by key.
public struct DocumentDifference: Hashable, Sendable {
    /// A key with different values.
    public struct Change: Hashable, Sendable {
        /// The path of the key, such as `tracking.sampling.distance`.
        public let path: String
        /// The old value; nil if the key is new.
        public let old: JSONValue?
        /// The new value; nil if the key is absent.
        public let new: JSONValue?
    }

    /// The changes, by path.
    public let changes: [Change]

    /// - Parameters:
    ///   - new: The new document; empty for none.
    ///   - old: The old document; nil or empty for none. A document that cannot be read has no keys.
    public init(_ new: [UInt8], over old: [UInt8]?) {
        let (before, after) = (Self.values(in: old ?? []), Self.values(in: new))
        changes = Set(before.keys).union(after.keys).sorted().compactMap { path in
            before[path] == after[path] ? nil : Change(path: path, old: before[path], new: after[path])
        }
    }

    /// Returns the values of a document by their paths. A list is a value.
    private static func values(in document: [UInt8]) -> [String: JSONValue] {
        guard document.count <= ConfigurationDocument.maximumBytes, let value = try? JSON5Parser.value(of: document)
        else { return [:] }
        var values: [String: JSONValue] = [:]
        collect(value, at: "", into: &values)
        return values
    }

    private static func collect(_ value: JSONValue, at path: String, into values: inout [String: JSONValue]) {
        guard case .object(let members) = value, !members.isEmpty else {
            if !path.isEmpty { values[path] = value }
            return
        }
        for (key, value) in members { collect(value, at: path.isEmpty ? key : "\(path).\(key)", into: &values) }
    }

    /// Returns one line per change, and the counts.
    /// - Parameter width: The maximum number of characters per line; nil: no limit.
    public func text(width: Int?) -> String {
        let lines = changes.flatMap { change in
            let line =
                switch (change.old, change.new) {
                case (let old?, let new?): "~ \(change.path): \(old.excerpt) → \(new.excerpt)"
                case (nil, let new?): "+ \(change.path): \(new.excerpt)"
                case (let old?, nil): "- \(change.path): \(old.excerpt)"
                case (nil, nil): ""
                }
            return Format.wrapped(line.printable, width: width, indentation: 4)
        }
        let added = changes.count { $0.old == nil }
        let removed = changes.count { $0.new == nil }
        let counts = "\(added) added, \(changes.count - added - removed) changed, \(removed) removed"
        return (lines + [counts]).map { $0 + "\n" }.joined()
    }

    /// The changes as JSON. An absent value is null.
    var jsonValue: JSONValue {
        .array(
            changes.map { change in
                .object(["path": .string(change.path), "old": change.old ?? .null, "new": change.new ?? .null])
            })
    }
}
