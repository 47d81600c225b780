import OdographHTTP
import OdographSettings
import OdographWire

/// Reads the key `rules`.
struct RuleReader {
    /// The greatest number of rules.
    private static let maximumRules = 100
    /// The greatest number of recipients of a rule.
    private static let maximumRecipients = 20
    /// The keys that only some kinds of rules have.
    private static let kinds: [(key: String, kinds: Set<RuleKind>)] = [
        ("minutes", [.silent, .gap, .noPosition]), ("geofences", [.geofence, .overspeed]), ("beacons", [.beacon]),
        ("events", [.geofence, .beacon]),
        ("speed", [.overspeed]), ("seconds", [.overspeed]),
        ("late_minutes", [.geofence, .overspeed, .driving, .beacon, .tow]),
        ("days", [.certificate]),
        ("every_km", [.service]), ("from_km", [.service]), ("every_hours", [.service]), ("used_hours", [.service]),
        ("end", [.silent, .overspeed, .tow, .rejectedConfiguration, .gap, .noPosition, .certificate]),
    ]

    let fleets: [String]
    let paths: PathResolver
    /// The server of e-mails; nil for none.
    let mail: MailSettings?
    /// Whether the configuration names a server of e-mails, also a wrong one.
    let hasMail: Bool

    /// Returns the rules. The reader has the mistakes.
    func rules(_ reader: inout SettingsReader) -> [Rule] {
        var names: Set<String> = []
        let rules = reader.objects("rules") { reader in
            let rule = rule(&reader)
            if let rule, !names.insert(rule.name).inserted {
                reader.reject("name", "another rule has this name; each rule needs its own")
            }
            return rule
        }
        if rules.count > Self.maximumRules {
            reader.reject("rules", "more than \(Self.maximumRules) rules; remove some")
        }
        return rules.compactMap { $0 }
    }

    private func rule(_ reader: inout SettingsReader) -> Rule? {
        if !reader.hasValue("name") { reader.reject("name", "missing; write a name, such as \"depot\"") }
        let name = topicName("name", &reader)
        let (fleet, device) = (reader.string("fleet"), reader.string("device"))
        if let fleet, !fleets.contains(fleet) { reader.reject("fleet", "is not one of fleets; write one of them") }
        let group = topicName("group", &reader)
        let during = reader.schedule("during")
        let kind = reader.choice("when", default: RuleKind.silent)
        if !reader.hasValue("when") {
            let words = RuleKind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            reader.reject("when", "missing; write one of \(words)")
        }
        let condition = condition(of: kind, &reader)
        for (key, kinds) in Self.kinds where reader.hasValue(key) && !kinds.contains(kind) {
            let words = kinds.map(\.rawValue).sorted().joined(separator: ", ")
            reader.reject(key, "is only for rules with when: \(words); remove the key")
        }
        let late = reader.number("late_minutes", default: 60, in: 1...527_040, unit: "minutes")
        let notifiesEnd = reader.bool("end", default: false)
        guard let target = target(&reader), let name else { return nil }
        return Rule(
            name: name, condition: condition, fleet: fleet, device: device, group: group, during: during,
            target: target, notifiesEnd: notifiesEnd, lateSeconds: late * 60)
    }

    /// Reads a name that may be a part of a topic.
    private func topicName(_ key: String, _ reader: inout SettingsReader) -> String? {
        guard let name = reader.string(key) else { return nil }
        do throws(TopicNameError) {
            return try DeviceAddress.validated(name, part: key)
        } catch {
            reader.reject(key, error.description)
            return nil
        }
    }

    private func condition(of kind: RuleKind, _ reader: inout SettingsReader) -> RuleCondition {
        let minutes = reader.number("minutes", default: 15, in: 1...43_200, unit: "minutes")
        let geofences = Set(reader.strings("geofences"))
        let beacons = Set(reader.strings("beacons"))
        let events = events(&reader)
        let speed = reader.number("speed", default: 0, in: 1...200, unit: "metres per second")
        let seconds = reader.number("seconds", default: 10, in: 0...3600, unit: "seconds")
        let days = reader.number("days", default: 45, in: 1...3650, unit: "days")
        let service = service(of: kind, &reader)
        switch kind {
        case .silent: return .silent(seconds: minutes * 60)
        case .geofence: return .geofence(identifiers: geofences, events: events)
        case .driving: return .driving
        case .beacon: return .beacon(identifiers: beacons, events: events)
        case .tow: return .tow
        case .rejectedConfiguration: return .rejectedConfiguration
        case .gap: return .gap(seconds: minutes * 60)
        case .noPosition: return .noPosition(seconds: minutes * 60)
        case .certificate: return .certificate(days: days)
        case .service: return .service(service)
        case .overspeed:
            guard reader.hasValue("speed") else {
                if reader.hasValue("seconds") {
                    reader.reject("seconds", "is for a rule with a speed; set speed too, or remove the key")
                }
                if reader.hasValue("end") {
                    reader.reject("end", "is for a rule with a speed: a geofence's event has an end already")
                }
                return .geofenceOverspeed(identifiers: geofences)
            }
            if !geofences.isEmpty {
                reader.reject("geofences", "have a speed limit of their own; remove speed or geofences")
            }
            return .overspeed(speed: speed, seconds: seconds)
        }
    }

    /// Reads the interval of services. Its keys are also read for other kinds, so that they are known.
    private func service(of kind: RuleKind, _ reader: inout SettingsReader) -> ServiceInterval {
        let kilometers = reader.integer("every_km", default: 0, in: 1...10_000_000, unit: "kilometres")
        let from = reader.integer("from_km", default: 0, in: 0...100_000_000, unit: "kilometres")
        let hours = reader.integer("every_hours", default: 0, in: 1...1_000_000, unit: "hours")
        let used = reader.integer("used_hours", default: 0, in: 0...1_000_000, unit: "hours")
        let isByDistance = reader.hasValue("every_km")
        guard kind == .service else { return .kilometers(1, from: 0) }
        if isByDistance == reader.hasValue("every_hours") {
            reader.reject("every_km", "write either every_km, a distance, or every_hours, the time of the engine")
        }
        for (key, isRight) in [("from_km", isByDistance), ("used_hours", !isByDistance)]
        where reader.hasValue(key) && !isRight {
            reader.reject(key, "is for the other kind of interval; remove the key")
        }
        return isByDistance ? .kilometers(max(kilometers, 1), from: from) : .engineHours(max(hours, 1), used: used)
    }

    private func events(_ reader: inout SettingsReader) -> Set<PresenceRuleEvent> {
        let words = reader.strings("events")
        let events = words.compactMap(PresenceRuleEvent.init)
        if events.count < words.count || reader.hasValue("events") && words.isEmpty {
            reader.reject("events", "write a list of \"enter\", \"exit\"")
        }
        return events.isEmpty ? Set(PresenceRuleEvent.allCases) : Set(events)
    }

    private func target(_ reader: inout SettingsReader) -> NotificationTarget? {
        let service = WebService(&reader, key: "webhook", paths: paths)
        let command = reader.strings("command")
        let email = reader.strings("email")
        switch ["webhook", "command", "email"].filter({ reader.hasValue($0) }) {
        case ["webhook"]: return service.map { .webhook($0) }
        case ["command"]: return target(command: command, &reader)
        case ["email"]: return target(email: email, &reader)
        default:
            reader.reject(
                "webhook", "write one of webhook, an address, command, a program, or email, a list of addresses")
            return nil
        }
    }

    private func target(command: [String], _ reader: inout SettingsReader) -> NotificationTarget? {
        guard let program = command.first, program.hasPrefix("/") else {
            reader.reject("command", "write the absolute path of a program and its arguments, [\"/usr/bin/…\", …]")
            return nil
        }
        guard !command.contains(where: { $0.utf8.contains(0) }) else {
            reader.reject("command", "contains the character 0; remove it")
            return nil
        }
        return .command(command)
    }

    private func target(email: [String], _ reader: inout SettingsReader) -> NotificationTarget? {
        let recipients = email.compactMap { MailAddress($0) }
        guard recipients.count == email.count, (1...Self.maximumRecipients).contains(email.count) else {
            reader.reject(
                "email", "write a list of 1 to \(Self.maximumRecipients) addresses, [\"dispatch@example.org\", …]")
            return nil
        }
        guard let mail else {
            if !hasMail { reader.reject("email", "set mail.url too: the server that takes the e-mails") }
            return nil
        }
        return .email(MailTarget(recipients: recipients, settings: mail))
    }
}
