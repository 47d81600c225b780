import OdographJSON
import OdographTracking

/// A saved state of the agent: a JSON object with the keys `form`, `version`, `source_ordinal` and `tracker`.
/// `InputJournalEntry`s contain the later inputs.
///
/// Forms before 3 are two lines of JSON. The first one has the key `essentials` in place of `tracker`. The second one
/// is not read.
///
/// This is a class, so that the tracker in it is not copied and the compiler generates no code to copy it.
package final class StateSnapshot: Sendable {
    /// The form that is written. Increase it with each change of the keys (`StateKeys.swift`), and add golden files.
    package static let form = 8

    /// The version of the agent that wrote it.
    package let version: String?
    /// The ordinal of the source's last handled event, after which a replay resumes. 0 if there is none.
    package let sourceOrdinal: Int64
    /// The tracker, as far as it can be read.
    package let tracker: Tracker
    /// Whether it is the whole tracker that was saved.
    package let isWhole: Bool

    private final class Content: Decodable {
        let form: Int?
        let version: String?
        let sourceOrdinal: Int64
        let tracker: SavedTracker?
        let essentials: FormerTrackerState?

        private enum CodingKeys: String, CodingKey {
            case form, version
            case sourceOrdinal = "source_ordinal"
            case tracker, essentials
        }
    }

    /// Decodes a snapshot of any form. nil if it is unreadable.
    /// - Parameters:
    ///   - configuration: The configuration in force, for a former form.
    ///   - seed: 128 random bits that no tracker has used before, for a former form.
    package init?(bytes: [UInt8], configuration: TrackingConfiguration, seed: (UInt64, UInt64)) {
        let firstLine = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
        guard
            let content = (try? JSONCoder.decode(Content.self, from: bytes))
                ?? (try? JSONCoder.decode(Content.self, from: firstLine))
        else { return nil }
        if let saved = content.tracker {
            (tracker, isWhole) = (saved.tracker, saved.isWhole && content.form == Self.form)
        } else if let former = content.essentials, former.hasOdometer {
            (tracker, isWhole) = (Tracker(recovering: former, configuration: configuration, seed: seed), false)
        } else {
            return nil
        }
        (version, sourceOrdinal) = (content.version, content.sourceOrdinal)
    }

    /// Encodes a snapshot. Equal states give equal bytes.
    package static func encode(_ tracker: Disclosed<Tracker>, sourceOrdinal: Int64) throws -> [UInt8] {
        let head =
            #"{"form":\#(form),"version":"\#(Build.version)","source_ordinal":\#(sourceOrdinal),"tracker":"#
        return Array(head.utf8) + (try JSONCoder.bytes(of: tracker.value)) + [UInt8(ascii: "}")]
    }
}
