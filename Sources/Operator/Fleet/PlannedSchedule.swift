import Odograph
import OdographCivilTime
import OdographCrontab
import OdographJSON
import OdographTerminal

/// The states of the schedules of some vehicles now, with a configuration that is not published yet.
public struct PlannedSchedule: Hashable, Sendable {
    /// The vehicles, by name; empty if none is known.
    public private(set) var vehicles: [String]
    /// Whether the schedule is open now.
    public let isOpen: Bool
    /// The mode while it is closed: `stop`, `tag` or `private`.
    public let mode: String
    /// The next change; nil if there is none.
    public let next: Timestamp?
    /// The zone of the schedule.
    private let zone: ZoneRules

    /// The keys that decide.
    private static let keys = ["enabled", "schedule", "time_zone", "off_schedule"]
    /// The names of vehicles that a line has at most.
    private static let maximumNames = 3

    /// Returns the schedules, one for each different answer; none if the document changes none of their keys.
    /// - Parameters:
    ///   - document: The new document of a level, JSON5.
    ///   - old: The old one; nil for none.
    ///   - vehicles: The vehicles of the level, with the configuration and the zone that they report. A key that
    ///     another level sets keeps its value if the old document does not set it too.
    ///   - now: The moment.
    static func list(
        _ document: [UInt8], over old: [UInt8]?,
        in vehicles: [(name: String, configuration: JSONValue?, timeZone: String?)], now: Timestamp
    ) -> [PlannedSchedule] {
        let (before, after) = (tracking(of: old ?? []), tracking(of: document))
        guard keys.contains(where: { before[$0] != after[$0] }) else { return [] }
        var list: [PlannedSchedule] = []
        let known = vehicles.filter { $0.configuration != nil }
        for (name, configuration, zone) in known.isEmpty ? [("", nil, nil)] : known {
            var merged: [String: JSONValue] = [:]
            for key in keys {
                let inForce = configuration?["tracking"]?[key]
                // Where the old document does not decide, a later level does, or this one begins to.
                let isOverridden = inForce != nil && before[key] != nil && inForce != before[key]
                merged[key] = isOverridden ? inForce : after[key] ?? (before[key] == nil ? inForce : nil)
            }
            guard let planned = PlannedSchedule(name, merged, zone: zone, now: now) else { continue }
            if let same = list.firstIndex(where: { $0.isSame(as: planned) }) {
                list[same].vehicles += planned.vehicles
            } else {
                list.append(planned)
            }
        }
        return list
    }

    private static func tracking(of document: [UInt8]) -> [String: JSONValue] {
        guard case .object(let members)? = (try? JSON5Parser.value(of: document))?["tracking"] else { return [:] }
        return members
    }

    private init?(_ vehicle: String, _ tracking: [String: JSONValue], zone name: String?, now: Timestamp) {
        let schedule = Schedule(tracking["schedule"] ?? .string("* * * * *"))
        let zones = ZoneDirectory.system
        let wanted = tracking["time_zone"]?.text ?? name
        guard let schedule, let zone = try? wanted.map({ try zones.rules(named: $0) }) ?? zones.systemRules() else {
            return nil
        }
        let isEnabled = tracking["enabled"] != .bool(false)
        vehicles = vehicle.isEmpty ? [] : [vehicle]
        isOpen = isEnabled && schedule.isOpen(at: now, in: zone)
        mode = isEnabled ? tracking["off_schedule"]?["mode"]?.text ?? "stop" : "tracking disabled"
        next = isEnabled ? schedule.nextChanges(1, after: now, in: zone).first?.instant : nil
        self.zone = zone
    }

    private func isSame(as other: PlannedSchedule) -> Bool {
        (isOpen, mode, next, zone.identifier) == (other.isOpen, other.mode, other.next, other.zone.identifier)
    }

    /// The state now, such as `closed now (private), opens Mon 06:00 (Europe/Madrid): van-1, van-2`.
    public var text: String {
        let state = isOpen ? "open now" : "closed now (\(mode))"
        let change = next.map { ", \(isOpen ? "closes" : "opens") \(clock($0)) (\(zone.identifier))" } ?? ", for ever"
        let rest = vehicles.count - Self.maximumNames
        let names = vehicles.prefix(Self.maximumNames).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
        return state + change + (names.isEmpty ? "" : ": \(names)")
    }

    /// Returns a time within a week as `Mon 06:00`, and a later one with its date.
    private func clock(_ time: Timestamp) -> String {
        let local = zone.localTime(at: time)
        let day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][local.date.weekday]
        let isSoon = time.seconds(since: .now) < 6 * 86_400
        return isSoon ? "\(day) \(local.minuteText)" : "\(day) \(local.date.text) \(local.minuteText)"
    }

    /// The schedule as JSON.
    var jsonValue: JSONValue {
        .object([
            "devices": .array(vehicles.map { .string($0) }), "within": .bool(isOpen), "mode": .string(mode),
            "next_change": .stringOrNull(next?.iso8601), "time_zone": .string(zone.identifier),
        ])
    }
}
