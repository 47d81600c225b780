import FoundationEssentials
import Tracking

/// What a run of the agent leaves to the next.
struct SavedState: Codable, Sendable {
    /// The tracker.
    var tracker: Tracker
    /// The source's last event that the tracker has dealt with; 0 for none. A replay goes on behind it.
    var sourceOrdinal: Int64
}

/// The inputs of one commit, and how far they lead.
///
/// Eight bytes of ordinal, the lowest first, then an ``InputJournal``.
enum JournalEntry {
    static func bytes(of journal: InputJournal, sourceOrdinal: Int64) -> [UInt8] {
        let ordinal = UInt64(bitPattern: sourceOrdinal)
        return (0..<8).map { UInt8(truncatingIfNeeded: ordinal >> (8 * UInt64($0))) } + journal.bytes
    }

    /// - Throws: `JournalError` where the bytes are no entry.
    static func read(_ bytes: [UInt8]) throws -> (inputs: [TrackerInput], sourceOrdinal: Int64) {
        guard bytes.count >= 8 else { return ([], 0) }
        let ordinal = bytes[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (try InputJournal.inputs(in: Array(bytes[8...])), Int64(bitPattern: ordinal))
    }
}
