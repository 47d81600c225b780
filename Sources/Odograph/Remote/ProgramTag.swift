import OdographJSON
import OdographTracking

/// A tag that a program on the vehicle has set, for example at the press of a button.
package struct ProgramTag: Hashable, Sendable, Codable {
    /// The longest name, Unicode scalars.
    package static let longestName = 64

    /// The tag of records.
    package var name: String
    /// Whether the time is private: distances and times are recorded, and no position.
    package var isPrivate: Bool

    /// The rule of the tag, as one of a closed schedule.
    var rule: OffScheduleRule { OffScheduleRule(mode: isPrivate ? .private : .tag, tag: name) }

    private enum CodingKeys: String, CodingKey {
        case name = "tag"
        case isPrivate = "private"
    }
}
