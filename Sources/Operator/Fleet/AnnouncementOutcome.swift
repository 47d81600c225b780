import Odograph
import OdographJSON

/// The change of the discovery document of a vehicle at the broker.
public struct AnnouncementOutcome: Hashable, Sendable {
    /// The change at the broker.
    public enum Change: String, Hashable, Sendable {
        /// The broker had no document.
        case announced
        /// The broker had another document.
        case updated
        /// The broker had this document, and nothing was published.
        case unchanged
        /// The document was removed.
        case removed
    }

    /// The name of the vehicle.
    public let device: String
    /// The topic of the document.
    public let topic: String
    /// The change at the broker.
    public let change: Change

    /// Returns one line per vehicle.
    public static func text(_ outcomes: [AnnouncementOutcome]) -> String {
        outcomes.map { "\($0.device): \($0.change.rawValue)".printable + "\n" }.joined()
    }

    /// Returns one JSON object per line: `device`, `topic` and `change`.
    public static func jsonLines(_ outcomes: [AnnouncementOutcome]) throws -> String {
        try outcomes.map { outcome in
            let members = ["device": outcome.device, "topic": outcome.topic, "change": outcome.change.rawValue]
            return try JSONCoder.string(of: members) + "\n"
        }.joined()
    }
}
