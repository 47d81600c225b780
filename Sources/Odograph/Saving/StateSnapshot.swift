import OdographJSON
import OdographTracking

/// A saved state of the agent: a JSON object with the keys `form`, `source_ordinal` and `tracker`.
/// `InputJournalEntry`s contain the later inputs.
///
/// This is a class, so that the tracker in it is not copied and the compiler generates no code to copy it.
package final class StateSnapshot: Sendable {
    /// The form. The agent reads no other one. Increase it with each change of the keys (`StateKeys.swift`) or of the
    /// encoding of `InputJournal`, and record the golden files again.
    package static let form = 20

    /// The reason why a snapshot cannot be read.
    package enum Failure: Error, Hashable {
        /// Another version of the agent wrote it, in this form.
        case otherForm(Int)
        /// It is damaged.
        case unreadable
    }

    /// The ordinal of the source's last handled event, after which a replay resumes. 0 if there is none.
    package let sourceOrdinal: Int64
    /// The tracker.
    package let tracker: Tracker

    private struct Head: Decodable { let form: Int }

    private final class Content: Decodable {
        let sourceOrdinal: Int64
        let tracker: Tracker

        private enum CodingKeys: String, CodingKey {
            case sourceOrdinal = "source_ordinal"
            case tracker
        }
    }

    /// Decodes a snapshot.
    package init(bytes: [UInt8]) throws(Failure) {
        guard let head = try? JSONCoder.decode(Head.self, from: bytes) else { throw .unreadable }
        guard head.form == Self.form else { throw .otherForm(head.form) }
        guard let content = try? JSONCoder.decode(Content.self, from: bytes) else { throw .unreadable }
        (sourceOrdinal, tracker) = (content.sourceOrdinal, content.tracker)
    }

    /// Encodes a snapshot. Equal states give equal bytes.
    package static func encode(_ tracker: Disclosed<Tracker>, sourceOrdinal: Int64) throws -> [UInt8] {
        let head = #"{"form":\#(form),"source_ordinal":\#(sourceOrdinal),"tracker":"#
        return Array(head.utf8) + (try JSONCoder.bytes(of: tracker.value)) + [UInt8(ascii: "}")]
    }
}
