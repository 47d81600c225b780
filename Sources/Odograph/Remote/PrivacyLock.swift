import OdographCivilTime
import OdographCrontab
import OdographJSON
import OdographTracking
import OdographWire

/// Decides whether settings loosen the privacy of the vehicle's own file.
///
/// In the modes `private` and `stop`, the file protects the time outside its schedule. If it turns tracking off, it
/// protects all time. Settings are at least as strict if they record no position in a protected minute. In doubt they
/// count as looser: for example, a schedule in a time zone with other rules always does.
package struct PrivacyLock {
    package let local: TrackingSettings

    /// Returns the settings that loosen the file's privacy, by path. Empty if there are none.
    package func violations(in settings: TrackingSettings) -> [ConfigurationIssue] {
        guard settings.core.isEnabled else { return [] }
        guard local.core.isEnabled else { return [issue("enabled", .bool(true), "tracking must stay off")] }
        guard let hours = local.schedule.expression, local.schedule.offSchedule.mode.strictness > 0 else { return [] }
        guard let expression = settings.schedule.expression else {
            return [issue("schedule", .null, "a schedule is required, open at most in \"\(hours.expression)\"")]
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
            issues.append(issue("schedule", text, "must be closed in all minutes in which \"\(hours.expression)\" is"))
        }
        // A looser mode implies this violation, so only the mode is reported.
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
            problem: "the vehicle's local file locks its private time (privacy.locked): \(bound)")
    }
}

extension OffScheduleRule.Mode {
    /// The strictness of the mode. 0 if positions are published.
    fileprivate var strictness: Int {
        switch self {
        case .tag: 0
        case .private: 1
        case .stop: 2
        }
    }
}
