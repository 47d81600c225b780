import CivilTime
import Crontab
import OdographJSON
import Tracking
import Wire

/// Decides whether settings loosen what the vehicle's own file keeps private.
///
/// The file keeps private what lies outside its schedule in the modes `private` and `stop`, and everything while tracking is
/// turned off. Settings are at least as strict if they record a position in no minute in which the file's own do not. They
/// are taken for looser unless that is certain: a schedule in a time zone with other rules is, whatever its minutes.
struct PrivacyLock {
    /// The settings of the file.
    let local: TrackingSettings

    /// Returns what loosens the file's privacy, each by its path; nothing where the settings are at least as strict.
    func violations(in settings: TrackingSettings) -> [ConfigurationIssue] {
        guard settings.core.isEnabled else { return [] }
        guard local.core.isEnabled else { return [issue("enabled", .bool(true), "tracking stays off")] }
        guard let hours = local.schedule.expression, local.schedule.offSchedule.mode.strictness > 0 else { return [] }
        guard let expression = settings.schedule.expression else {
            return [issue("schedule", .null, "a schedule must be there, at most \"\(hours.expression)\"")]
        }
        var issues: [ConfigurationIssue] = []
        let mode = settings.schedule.offSchedule.mode
        if mode.strictness < local.schedule.offSchedule.mode.strictness {
            let least = local.schedule.offSchedule.mode.rawValue
            issues.append(issue("off_schedule.mode", .string(mode.rawValue), "must be \"\(least)\" or stricter"))
        }
        if !settings.schedule.zone.hasSameRules(as: local.schedule.zone) {
            let zone = settings.schedule.zone.identifier
            issues.append(issue("time_zone", .string(zone), "must be \"\(local.schedule.zone.identifier)\""))
        }
        if !expression.isContained(in: hours) {
            let text = JSONValue.string(expression.expression)
            issues.append(issue("schedule", text, "must be open in no minute in which \"\(hours.expression)\" is not"))
        }
        // A looser mode is the same fault: what it says of the time before the date is known follows from it.
        if issues.allSatisfy({ $0.path != "tracking.off_schedule.mode" }), settings.schedule.isOpen(at: nil),
            !local.schedule.isOpen(at: nil)
        {
            issues.append(issue("schedule_before_time", .string("open"), "must be \"closed\""))
        }
        return issues
    }

    private func issue(_ key: String, _ value: JSONValue, _ bound: String) -> ConfigurationIssue {
        ConfigurationIssue(
            path: "tracking.\(key)", value: value.excerpt,
            problem: "the vehicle's own file locks its private time (privacy.locked): \(bound)")
    }
}

extension OffScheduleRule.Mode {
    /// How little is told off schedule; 0 where positions are.
    fileprivate var strictness: Int {
        switch self {
        case .tag: 0
        case .private: 1
        case .stop: 2
        }
    }
}
