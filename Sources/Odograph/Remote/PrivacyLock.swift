import OdographCivilTime
import OdographCrontab
import OdographJSON
import OdographSettings
import OdographTracking
import OdographWire

/// Decides whether settings loosen the privacy of other settings: of the vehicle's own file if `privacy.locked` is
/// true, and for the embedding program of all levels below it.
///
/// In the modes `private` and `stop`, the file protects the time outside its schedule. If it turns tracking off, it
/// protects all time. Settings are at least as strict if they record no position in a protected minute. In doubt they
/// count as looser: for example, a schedule in a time zone with other rules always does.
package struct PrivacyLock {
    package let local: TrackingSettings
    /// The reason for the lock, for messages.
    private let reason: String
    /// Whether mode `stop` is refused instead of `private`, although it is stricter.
    private var keepsMode = false

    /// Locks the privacy of the local file.
    package init(local: TrackingSettings) {
        self.local = local
        reason = "the vehicle's local file locks its private time (privacy.locked)"
    }

    /// Keeps the private time of the settings below the program. nil if they have none. The program must not replace it
    /// by mode `stop`, in which it may decide to track.
    package init?(keepingPrivateTimeOf below: TrackingSettings) {
        guard below.schedule.hasPrivateTime else { return nil }
        var kept = below
        // Only the private time is kept: the program may turn tracking on.
        kept.core.isEnabled = true
        local = kept
        reason = "the file or a remote document makes time private, and only they can change that"
        keepsMode = true
    }

    /// Returns the settings that loosen the file's privacy, by path. Empty if there are none.
    package func violations(in settings: TrackingSettings) -> [ConfigurationIssue] {
        guard settings.core.isEnabled else { return [] }
        guard local.core.isEnabled else { return [issue("enabled", .bool(true), "tracking must stay off")] }
        guard let hours = local.schedule.expression, local.schedule.offSchedule.mode.strictness > 0 else { return [] }
        guard let expression = settings.schedule.expression else {
            return [issue("schedule", .null, "a schedule is required, open at most in \(hours.text)")]
        }
        var issues: [ConfigurationIssue] = []
        let mode = settings.schedule.offSchedule.mode
        let least = local.schedule.offSchedule.mode
        if mode.strictness < least.strictness || keepsMode && mode != least {
            let bound = "must be \"\(least.rawValue)\"" + (keepsMode ? "" : " or stricter")
            issues.append(issue("off_schedule.mode", .string(mode.rawValue), bound))
        }
        if !settings.schedule.zone.hasSameRules(as: local.schedule.zone) {
            let zone = settings.schedule.zone.identifier
            issues.append(issue("time_zone", .string(zone), "must be \"\(local.schedule.zone.identifier)\""))
        }
        if !expression.isContained(in: hours) {
            let bound = "must be closed in all minutes in which \(hours.text) is"
            issues.append(issue("schedule", expression.jsonValue, bound))
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
            problem: "\(reason): \(bound)")
    }
}

extension Schedule {
    /// The expressions, each in quotes.
    fileprivate var text: String { expressions.map { "\"\($0)\"" }.joined(separator: " or ") }
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
