import OdographCivilTime
import OdographCrontab
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
        expression = reader.string("schedule").flatMap { Self.expression($0, &reader) }
        // The month of a budget begins in this zone too.
        let isNeeded = expression != nil || Self.hasBudget(&reader)
        zone = Self.zone(named: reader.string("time_zone"), isNeeded: isNeeded, zones, &reader)
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

    private static func expression(_ text: String, _ reader: inout SettingsReader) -> Schedule? {
        do throws(ScheduleError) {
            return try Schedule(text)
        } catch {
            reader.reject("schedule", error.description)
            return nil
        }
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
