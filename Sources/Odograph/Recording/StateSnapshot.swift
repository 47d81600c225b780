import OdographJSON
import OdographTracking

/// A saved state of the agent.
///
/// The first line is JSON that every later version can read, see `TrackerPersistentState`. The whole tracker follows,
/// in a form that changes with the tracker's code. It is read only if the version and the form are the own ones,
/// because it contains many lists without names, which another version could decode with a wrong meaning. `InputJournalEntry`s contain the later inputs; every later version can read them too.
///
/// This is a class, so that the tracker in it is not copied and the compiler generates no code to copy it.
package final class StateSnapshot: Sendable {
    /// The first line. Its keys keep their names and meanings in all versions.
    package struct Header: Codable {
        /// The version of the agent that wrote it.
        package var version: String?
        /// The form of the whole tracker. nil in version 0.1.0.
        package var form: Int?
        /// The ordinal of the source's last handled event, after which a replay resumes. 0 if there is none.
        package var sourceOrdinal: Int64
        package var essentials: TrackerPersistentState

        private enum CodingKeys: String, CodingKey {
            case version
            case form
            case sourceOrdinal = "source_ordinal"
            case essentials
        }
    }

    /// The form of the whole tracker. Increase it with each change of a stored property of the tracker or its parts.
    private static let trackerForm = 2

    package let header: Header
    /// The whole tracker. nil if it has another version or form, or if it is unreadable.
    package let tracker: Tracker?

    /// Decodes a snapshot. nil if the first line is unreadable.
    package init?(bytes: [UInt8]) {
        let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1).map { Array($0) }
        guard let first = parts.first, let head = try? JSONCoder.decode(Header.self, from: first) else { return nil }
        self.header = head
        let isOwn = head.version == Build.version && head.form == Self.trackerForm && parts.count == 2
        tracker =
            isOwn ? (try? JSONCoder.decode(Tracker.self, from: parts[1]))?.merged(with: head.essentials) : nil
    }

    package static func encode(_ tracker: Disclosed<Tracker>, sourceOrdinal: Int64) throws -> [UInt8] {
        let (essentials, rest) = tracker.value.split
        let head = Header(
            version: Build.version, form: trackerForm, sourceOrdinal: sourceOrdinal, essentials: essentials)
        return try JSONCoder.bytes(of: head) + [UInt8(ascii: "\n")] + JSONCoder.bytes(of: rest)
    }
}
