import OdographCrontab
import OdographCivilTime

/// The rule for positions while the schedule is closed.
public struct OffScheduleRule: Hashable, Sendable, Codable {
    /// The modes of treatment.
    public enum Mode: String, Hashable, Sendable, Codable, CaseIterable {
        /// No records are made.
        case stop
        /// Everything is recorded, with a tag.
        case tag
        /// The odometer and the times continue; no position leaves the vehicle or is stored on its disk.
        case `private`
    }

    /// The mode of treatment.
    public var mode: Mode
    /// The tag of every record in mode `tag`.
    public var tag: String

    /// The tag that records get; nil in other modes.
    var recordTag: String? { mode == .tag ? tag : nil }

    /// Creates a rule.
    public init(mode: Mode = .stop, tag: String = "off_schedule") {
        self.mode = mode
        self.tag = tag
    }
}

/// The times in which tracking is on.
public struct TrackingSchedule: Hashable, Sendable {
    /// The minutes in which it is on; nil: always.
    public var expression: Schedule?
    /// The time zone of the minutes.
    public var zone = ZoneRules.utc
    /// Whether ``zone`` is the machine's, so that another zone of the machine replaces it.
    public var followsMachineZone = false
    /// The rule for positions at other times.
    public var offSchedule = OffScheduleRule()
    /// Whether the schedule counts as open until the time is known. In mode `private` it does not.
    public var isOpenWhileTimeUnknown = true
    /// Whether all time is private, because the private part of it is unknown.
    public private(set) var isAlwaysPrivate = false
    /// The rule that a program on the vehicle has set, such as a button "private"; nil for none. Mode `stop` of the
    /// hours is stricter and stays in force.
    public var programRule: OffScheduleRule?

    /// Creates a schedule that is always on.
    public init() {}

    /// Returns the schedule that applies while the right one is unknown: never on, and private.
    /// - Parameter zone: the time zone of other schedules.
    public static func alwaysPrivate(zone: ZoneRules) -> TrackingSchedule {
        var schedule = TrackingSchedule()
        schedule.zone = zone
        schedule.offSchedule.mode = .private
        schedule.isAlwaysPrivate = true
        return schedule
    }

    /// Whether any time can be private.
    public var hasPrivateTime: Bool { isPrivateByProgram || hasPrivateHours }

    /// Whether the hours alone make any time private.
    var hasPrivateHours: Bool { isAlwaysPrivate || expression != nil && offSchedule.mode == .private }

    /// Whether a program on the vehicle has made the time private.
    public var isPrivateByProgram: Bool { programRule?.mode == .private }

    /// Returns the state that follows from the hours and the rule of the program.
    func state(of hours: ScheduleGate.State) -> ScheduleGate.State {
        guard let programRule, hours.rule?.mode != .stop else { return hours }
        // Private hours are not made public by a tag.
        return hours.rule?.mode == .private ? hours : .closed(programRule)
    }

    /// Returns whether tracking is on at an instant by the hours.
    /// - Parameter time: the instant; nil if unknown.
    public func isOpen(at time: Timestamp?) -> Bool {
        if isAlwaysPrivate { return false }
        guard let expression else { return true }
        guard let time else { return isOpenWhileTimeUnknown && offSchedule.mode != .private }
        return expression.isOpen(at: time, in: zone)
    }
}
