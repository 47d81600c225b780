import OdographCivilTime

/// Watches the gaps of an epoch of a vehicle for a rule.
///
/// Live records arrive before those of a backlog, so a moving vehicle always has gaps that fill. The watch therefore
/// waits for certain numbers: those that are missing at a moment. If one of them is still missing at the end of the
/// time, the rule is triggered. What has triggered it is not news again. Numbers only grow, so a mark says which ones
/// these are.
struct GapWatch {
    /// A vehicle and an epoch of its numbers.
    struct Place: Hashable {
        let vehicle: Int64
        let epoch: Int64
    }

    let rule: Rule
    let vehicle: RuleVehicle
    let epoch: Int64
    /// The time of the rule, seconds.
    let seconds: Double
    /// Whether the rule can be triggered now.
    let isInForce: Bool
    /// Whether records wait in the vehicle until its traffic budget begins again.
    let isBudgetExhausted: Bool

    /// Compares the gaps of the epoch with those that are known.
    func look(
        at gaps: [ClosedRange<Int64>], _ now: RuleMoment, _ engine: inout RuleEngine, _ changes: inout RuleChanges
    ) {
        let key = EpisodeKey(rule: rule.name, vehicle: vehicle.key, subject: "\(epoch)")
        if let mark = engine.episodes[key]?.mark, !gaps.contains(where: { $0.lowerBound <= mark }) {
            engine.end(
                key, rule, vehicle, at: now.date, text: "has sent or explained all records of the gap", &changes)
        }
        // The vehicle then needs time to send what waits.
        guard !isBudgetExhausted else { return engine.gapWaits[key] = nil }
        let known = engine.episodes[key]?.mark ?? 0
        var open = gaps.filter { $0.upperBound > known }
        if let wait = engine.gapWaits[key] {
            let still = open.filter { $0.lowerBound <= wait.mark }
            if !still.isEmpty {
                guard wait.begin.instant.duration(to: now.instant) >= .seconds(seconds), isInForce else {
                    return
                }
                let numbers = still.map { max($0.lowerBound, known + 1)...min($0.upperBound, wait.mark) }
                engine.begin(
                    key, Episode(begin: wait.begin.date, mark: wait.mark), notification(of: numbers, wait), &changes)
                open = open.filter { $0.upperBound > wait.mark }
            }
        }
        engine.gapWaits[key] = open.map(\.upperBound).max().map { GapWait(begin: now, mark: $0) }
    }

    private func notification(of numbers: [ClosedRange<Int64>], _ wait: GapWait) -> RuleNotification {
        var notification = RuleNotification(
            rule, .begin, of: vehicle, at: wait.begin.date, subject: "\(epoch) \(wait.mark)",
            text: "lacks \(numbers.reduce(0) { $0 + $1.count }) records without an explanation")
        notification.missing = numbers.prefix(RuleNotification.maximumParts).map {
            RuleNotification.MissingRange(epoch: epoch, from: $0.lowerBound, to: $0.upperBound)
        }
        return notification
    }
}

extension GapWatch.Place {
    /// Creates the place of an episode; nil if it is not one of a rule for gaps.
    init?(_ key: EpisodeKey) {
        guard let epoch = Int64(key.subject) else { return nil }
        self.init(vehicle: key.vehicle, epoch: epoch)
    }
}
