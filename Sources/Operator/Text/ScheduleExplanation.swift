import Odograph
import OdographCivilTime
import OdographCrontab
import OdographJSON
import OdographTerminal
import OdographWire

/// Explains a schedule at an instant: its meaning in words, a chart of the week, and the next changes.
public struct ScheduleExplanation: Hashable, Sendable {
    private let schedule: Schedule
    private let zone: ZoneRules
    private let instant: Timestamp
    private let changes: [Schedule.Change]

    /// - Parameters:
    ///   - expressions: each five crontab fields, or a macro; the schedule is open while one of them matches.
    ///   - timeZone: an IANA name; nil: the machine's zone.
    ///   - at: the instant as typed by the user, without an offset in the zone's wall clock; nil: now.
    ///   - now: the current time.
    /// - Throws: `ExitError` with the error and its correction.
    public init(expressions: [String], timeZone: String?, at: String?, now: Timestamp) throws(ExitError) {
        do throws(ScheduleError) {
            schedule = try Schedule(expressions)
        } catch {
            let place = expressions.count > 1 && !error.expression.isEmpty ? "\"\(error.expression)\": " : ""
            throw ExitError(.dataError, (place + error.description).printable)
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
                "\"\((at ?? "").printable)\" is not a time; write it like 2026-11-21T09:15 (local time of that zone), "
                    + "2026-11-21T09:15:02Z, or 3d for three days ago")
        }
        self.instant = instant
        changes = schedule.nextChanges(10, after: instant, in: zone)
    }

    private var isOpen: Bool { schedule.isOpen(at: instant, in: zone) }

    /// The explanation as text: lines that end with a newline.
    public var text: String { text(width: nil) }

    /// Returns the explanation as text: lines that end with a newline.
    /// - Parameter width: The maximum number of characters per line; nil: no limit.
    public func text(width: Int?) -> String {
        var lines = KeyValueLines()
        lines.append("meaning", schedule.englishDescription)
        lines.append("zone", zone.identifier)
        lines.append("at", "\(wallClockText(instant)): \(isOpen ? "open" : "closed")")
        let week = ScheduleWeek(of: schedule, containing: zone.localTime(at: instant).date)
        let next = changes.map { "  \(wallClockText($0.instant))  \($0.isOpen ? "opens" : "closes")\n" }
        let facts = lines.text.split(separator: "\n").flatMap {
            Format.wrapped(String($0), width: width, indentation: 10)
        }
        return facts.map { $0 + "\n" }.joined()
            + "\nThe week of \(Self.dateText(week.monday)):\n\(week.textChart(width: width))\n\n"
            + (next.isEmpty ? "The state never changes.\n" : "Next:\n" + next.joined())
    }

    /// Returns the explanation as one JSON object and a newline.
    public func json() throws -> String {
        let document: [String: JSONValue] = [
            "expression": schedule.jsonValue, "time_zone": .string(zone.identifier),
            "at": .string(instant.iso8601), "within": .bool(isOpen), "meaning": .string(schedule.englishDescription),
            "next_change": .stringOrNull(changes.first?.instant.iso8601),
            "next_changes": .array(
                changes.map {
                    .object(["at": .string($0.instant.iso8601), "within": .bool($0.isOpen)])
                }),
        ]
        return try JSONCoder.string(of: JSONValue.object(document)) + "\n"
    }

    /// Returns the wall clock time of the zone, with its offset from UTC.
    private func wallClockText(_ time: Timestamp) -> String {
        let local = zone.localTime(at: time)
        return "\(Self.dateText(local.date)) \(local.minuteText) (UTC\(zone.offsetText(at: time)))"
    }

    private static func dateText(_ date: CivilDate) -> String {
        let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        return "\(names[date.weekday]) \(date.text)"
    }
}
