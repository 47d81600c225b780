import CivilTime
import Crontab
import OdographJSON
import Wire

/// What a schedule means at an instant: in words, as a week, and what comes next.
public struct ScheduleExplanation: Hashable, Sendable {
    private let schedule: Schedule
    private let zone: ZoneRules
    private let instant: Timestamp
    private let changes: [Schedule.Change]

    /// - Parameters:
    ///   - expression: five crontab fields, or a macro.
    ///   - timeZone: an IANA name; nil: the machine's own zone.
    ///   - at: when it is asked for, as a person types it; without an offset it is on the zone's wall clock. nil: now.
    ///   - now: the time.
    /// - Throws: ``ExitError`` with what is wrong and what would be right.
    public init(expression: String, timeZone: String?, at: String?, now: Timestamp) throws(ExitError) {
        do throws(ScheduleError) {
            schedule = try Schedule(expression)
        } catch {
            throw ExitError(.dataError, error.description.printable)
        }
        do throws(ZoneError) {
            let zones = ZoneDirectory.system
            zone = if let timeZone { try zones.rules(named: timeZone) } else { try zones.systemRules() }
        } catch {
            throw ExitError(.dataError, error.description.printable)
        }
        guard let instant = at.map({ [zone] in Timestamp(argument: $0, now: now, zone: zone) }) ?? now else {
            throw ExitError(
                .usage,
                "\"\((at ?? "").printable)\" is no time; write one like 2026-11-21T09:15 (on that zone's wall clock), "
                    + "2026-11-21T09:15:02Z, or 3d for three days ago")
        }
        self.instant = instant
        changes = schedule.nextChanges(10, after: instant, in: zone)
    }

    private var isOpen: Bool { schedule.isOpen(at: instant, in: zone) }

    /// For a person: lines that end with a newline.
    public var text: String {
        var lines = KeyValueLines()
        lines.append("meaning", schedule.englishDescription)
        lines.append("zone", zone.identifier)
        lines.append("at", "\(wallClockText(instant)): \(isOpen ? "open" : "closed")")
        let week = ScheduleWeek(of: schedule, containing: zone.localTime(at: instant).date)
        let next = changes.map { "  \(wallClockText($0.instant))  \($0.isOpen ? "opens" : "closes")\n" }
        return lines.text + "\nThe week of \(Self.dateText(week.monday)):\n\(week.textChart)\n\n"
            + (next.isEmpty ? "It never changes.\n" : "Next:\n" + next.joined())
    }

    /// For a program: one JSON object and a newline.
    public func json() throws -> String {
        let document: [String: JSONValue] = [
            "expression": .string(schedule.expression), "time_zone": .string(zone.identifier),
            "at": .string(instant.iso8601), "within": .bool(isOpen), "meaning": .string(schedule.englishDescription),
            "next_change": changes.first.map { .string($0.instant.iso8601) } ?? .null,
            "next_changes": .array(
                changes.map {
                    .object(["at": .string($0.instant.iso8601), "within": .bool($0.isOpen)])
                }),
        ]
        return try JSONCoder.string(of: JSONValue.object(document)) + "\n"
    }

    /// What the zone's wall clock shows, with its distance from UTC.
    private func wallClockText(_ time: Timestamp) -> String {
        let local = zone.localTime(at: time)
        let offset = zone.utcOffsetSeconds(at: time)
        let minutes = abs(offset) / 60
        return "\(Self.dateText(local.date)) \(local.minuteText) "
            + "(UTC\(offset < 0 ? "-" : "+")\((minutes / 60).twoDigits):\((minutes % 60).twoDigits))"
    }

    private static func dateText(_ date: CivilDate) -> String {
        let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        return "\(names[date.weekday]) \(date.text)"
    }
}
