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
    /// Whether the schedule counts as open until the time is known. Private time does not depend on it: in mode `private`
    /// the schedule counts as closed until then.
    public var isOpenWhileTimeUnknown = true
    /// Whether all of the time is private, since it is not known which part of it is.
    public private(set) var isAlwaysPrivate = false

    /// Always on.
    public init() {}

    /// The schedule that is in force while it is not known which one should be: never on, and private.
    /// - Parameter zone: whose wall clock other schedules are on.
    public static func alwaysPrivate(zone: ZoneRules) -> TrackingSchedule {
        var schedule = TrackingSchedule()
        schedule.zone = zone
        schedule.offSchedule.mode = .private
        schedule.isAlwaysPrivate = true
        return schedule
    }

    /// Whether there is private time.
    public var hasPrivateTime: Bool { isAlwaysPrivate || expression != nil && offSchedule.mode == .private }

    /// Whether tracking is on at an instant; `nil` stands for a time that is not known.
    public func isOpen(at time: Timestamp?) -> Bool {
        if isAlwaysPrivate { return false }
        guard let expression else { return true }
        guard let time else { return isOpenWhileTimeUnknown && offSchedule.mode != .private }
        return expression.isOpen(at: time, in: zone)
    }
}
