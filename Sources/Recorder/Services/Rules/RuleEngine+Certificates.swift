import OdographCivilTime
import OdographTerminal
import OdographWire

extension RuleEngine {
    /// A certificate that all vehicles of a fleet see.
    private struct SharedCertificate: Hashable {
        let fleet: String
        let part: CertificateEnds.Part
    }

    /// Looks for certificates whose validity ends soon, and ends the episodes of those that were renewed.
    ///
    /// What a fleet shares triggers a rule for one vehicle of the fleet, and only while no vehicle knows a later end:
    /// the others have not connected since the renewal.
    /// - Parameter connection: Since when the recorder has been connected to the broker; nil while it is not.
    mutating func findCertificates(
        at now: RuleMoment, connectedSince connection: ContinuousClock.Instant?
    ) -> RuleChanges {
        var changes = RuleChanges()
        let rules = rules.filter { $0.condition.kind == .certificate }
        guard !rules.isEmpty, let connection, hasStatuses(at: now, connectedSince: connection) else { return changes }
        let newest = newestEnds()
        for rule in rules {
            guard case .certificate(let days) = rule.condition else { continue }
            var reported = Set(
                episodes.keys.filter { $0.rule == rule.name }.compactMap { key -> SharedCertificate? in
                    guard let part = CertificateEnds.Part(rawValue: key.subject), part.isShared else { return nil }
                    return knownState(key.vehicle).map { SharedCertificate(fleet: $0.vehicle.fleet, part: part) }
                })
            for state in states where rule.applies(to: state.vehicle) {
                for part in CertificateEnds.Part.allCases {
                    let key = EpisodeKey(rule: rule.name, vehicle: state.vehicle.key, subject: part.rawValue)
                    let shared = SharedCertificate(fleet: state.vehicle.fleet, part: part)
                    let end = part.isShared ? newest[shared] : state.report?.certificates[part]
                    guard let end, now.date.seconds(since: end) >= -days * 86_400 else {
                        let day = end.map { state.zone.localTime(at: $0).date.text }
                        let text = day.map { "\(part.text) is valid until \($0)" } ?? "reports no such certificate"
                        self.end(key, rule, state.vehicle, at: now.date, text: text, &changes)
                        continue
                    }
                    guard episodes[key] == nil, !state.isForgotten, state.report?.certificates[part] != nil,
                        rule.isInForce(for: state, at: now.date),
                        !part.isShared || reported.insert(shared).inserted
                    else { continue }
                    let verb = end <= now.date ? "ended on" : "ends on"
                    let day = state.zone.localTime(at: end).date.text
                    begin(
                        key, Episode(begin: now.date),
                        RuleNotification(
                            rule, .begin, of: state.vehicle, at: now.date, subject: part.rawValue,
                            text: "\(part.text) \(verb) \(day)"),
                        &changes)
                }
            }
        }
        return changes
    }

    /// Returns the latest end of each shared certificate that a vehicle of a fleet knows.
    private func newestEnds() -> [SharedCertificate: Timestamp] {
        var ends: [SharedCertificate: Timestamp] = [:]
        for state in states {
            for part in CertificateEnds.Part.allCases where part.isShared {
                guard let end = state.report?.certificates[part] else { continue }
                let shared = SharedCertificate(fleet: state.vehicle.fleet, part: part)
                ends[shared] = max(ends[shared] ?? end, end)
            }
        }
        return ends
    }
}
