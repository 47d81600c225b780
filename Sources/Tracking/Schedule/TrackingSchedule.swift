import Crontab
import CivilTime

/// What becomes of positions while the schedule is closed.
public struct OffScheduleRule: Hashable, Sendable, Codable {
    /// The ways to treat them.
    public enum Mode: String, Hashable, Sendable, Codable, CaseIterable {
        /// Nothing is recorded.
        case stop
        /// Everything is recorded, with a tag.
        case tag
        /// The odometer and the times run on, no position leaves the vehicle or reaches its disk.
        case `private`
    }

    /// How they are treated.
    public var mode: Mode
    /// Put on every record in mode `tag`.
    public var tag: String

    /// - Parameters: as the properties of the same names.
    public init(mode: Mode = .stop, tag: String = "off_schedule") {
        self.mode = mode
        self.tag = tag
    }
}

/// When tracking is on.
public struct TrackingSchedule: Hashable, Sendable {
    /// The minutes in which it is on; nil: always.
    public var expression: Schedule?
    /// Whose wall clock the minutes are on.
    public var zone = ZoneRules.utc
    /// What becomes of positions in the other minutes.
    public var offSchedule = OffScheduleRule()
    /// Whether the schedule counts as open until the time is known.
    public var isOpenBeforeTime = true

    /// Always on.
    public init() {}

    /// Whether tracking is on at an instant; `nil` stands for a time that nobody knows.
    public func isOpen(at time: Timestamp?) -> Bool {
        guard let expression else { return true }
        guard let time else { return isOpenBeforeTime }
        return expression.isWithin(at: time, in: zone)
    }
}
