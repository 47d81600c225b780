import OdographJSON
import Tracking

/// What a run of the agent leaves to the next.
///
/// A line of JSON that every later version can read, see `TrackerPersistentState`; and behind it the whole tracker, which is read
/// by the version that wrote it only: much of it is lists without names, and what another version makes of them is not what
/// was meant, also where it can be read.
///
/// The journals since are `InputJournalEntry`s, which every later version can read, too.
///
/// A class, so that nobody copies the tracker in it, nor has the compiler write how.
final class StateSnapshot: Sendable {
    /// The first line. Its keys keep their names and their meaning for ever.
    struct Header: Codable {
        /// The version of the agent that wrote it.
        var version: String?
        /// The source's last event that the tracker has dealt with; 0 for none. A replay goes on behind it.
        var sourceOrdinal: Int64
        var essentials: TrackerPersistentState

        private enum CodingKeys: String, CodingKey {
            case version
            case sourceOrdinal = "source_ordinal"
            case essentials
        }
    }

    let header: Header
    /// The whole tracker; nil where it is another version's, or cannot be read.
    let tracker: Tracker?

    /// Reads what was saved; nil where not even the first line can be read.
    init?(bytes: [UInt8]) {
        let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1).map { Array($0) }
        guard let first = parts.first, let head = try? JSONCoder.decode(Header.self, from: first) else { return nil }
        self.header = head
        let isOwn = head.version == Build.version && parts.count == 2
        tracker =
            isOwn ? (try? JSONCoder.decode(Tracker.self, from: parts[1]))?.merged(with: head.essentials) : nil
    }

    /// What is saved.
    static func encode(_ tracker: Tracker, sourceOrdinal: Int64) throws -> [UInt8] {
        let (essentials, rest) = tracker.split
        let head = Header(version: Build.version, sourceOrdinal: sourceOrdinal, essentials: essentials)
        return try JSONCoder.bytes(of: head) + [UInt8(ascii: "\n")] + JSONCoder.bytes(of: rest)
    }
}
