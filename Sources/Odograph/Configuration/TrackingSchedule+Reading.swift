import OdographCivilTime
import OdographCrontab
import OdographJSON
import OdographSettings
import OdographTracking
import OdographWire

/// The values of the key `schedule_before_time`.
private enum ScheduleBeforeTime: String, CaseIterable {
    case open, closed
}

extension TrackingSchedule {
    /// Reads the keys `schedule`, `time_zone`, `off_schedule` and `schedule_before_time`.
    package init(_ reader: inout SettingsReader, zones: ZoneDirectory = .system) {
        self.init()
        expression = reader.schedule("schedule")
        // The month of a budget begins in this zone too.
        let isNeeded = expression != nil || Self.hasBudget(&reader)
        let zoneName = reader.string("time_zone")
        zone = Self.zone(named: zoneName, isNeeded: isNeeded, zones, &reader)
        followsMachineZone = zoneName == nil && isNeeded
        offSchedule = reader.object("off_schedule") { reader in
            var rule = OffScheduleRule()
            rule.mode = reader.choice("mode", default: rule.mode)
            rule.tag = reader.string("tag") ?? rule.tag
            return rule
        }
        isOpenWhileTimeUnknown = reader.choice("schedule_before_time", default: ScheduleBeforeTime.open) == .open
    }

    private static func hasBudget(_ reader: inout SettingsReader) -> Bool {
        guard case .object(let members)? = reader.value("monthly_budget"), case .integer(let bytes)? = members["bytes"]
        else { return false }
        return bytes > 0
    }

    private static func zone(
        named name: String?, isNeeded: Bool, _ zones: ZoneDirectory, _ reader: inout SettingsReader
    ) -> ZoneRules {
        do throws(ZoneError) {
            if let name { return try zones.rules(named: name) }
            return isNeeded ? try zones.systemRules() : .utc
        } catch {
            let which = name == nil ? "the time zone of this machine is unknown; set one here: " : ""
            reader.reject("time_zone", which + error.description)
            return .utc
        }
    }
}

extension Schedule {
    /// Reads the value of a key `schedule`.
    /// - Returns: nil if the value is no schedule.
    package init?(_ value: JSONValue) {
        let texts: [String?] =
            switch value {
            case .string(let text): [text]
            case .array(let items): items.map(\.text)
            default: []
            }
        guard let schedule = try? Schedule(texts.compactMap { $0 }), schedule.expressions.count == texts.count else {
            return nil
        }
        self = schedule
    }

    /// The schedule as the value of a key: a string for one expression, a list for several.
    package var jsonValue: JSONValue {
        expressions.count == 1 ? .string(expressions[0]) : .array(expressions.map { .string($0) })
    }
}
