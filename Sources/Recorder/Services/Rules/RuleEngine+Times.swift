import OdographCivilTime
import OdographTerminal
import OdographWire

extension RuleEngine {
    /// Looks for vehicles that have become silent.
    /// - Parameters:
    ///   - now: The moment.
    ///   - connection: Since when the recorder has been connected to the broker. Before it, a vehicle can have reported
    ///     without being heard; nil while there is no connection.
    mutating func findSilence(at now: RuleMoment, connectedSince connection: ContinuousClock.Instant?) -> RuleChanges {
        var changes = RuleChanges()
        guard let connection else { return changes }
        for rule in rules {
            guard case .silent(let seconds) = rule.condition else { continue }
            for state in states where rule.applies(to: state.vehicle) {
                let key = EpisodeKey(rule: rule.name, vehicle: state.vehicle.key)
                guard episodes[key] == nil, rule.isInForce(for: state, at: now.date),
                    let limit = SilenceLimit(of: state, seconds: seconds, at: now),
                    limit.isExceeded(by: state, at: now, connectedSince: connection)
                else { continue }
                begin(
                    key, Episode(begin: now.date),
                    RuleNotification(
                        rule, .begin, of: state.vehicle, at: now.date,
                        text: "has been silent for \(Self.minutes(limit.seconds)) although it should report"),
                    &changes)
            }
        }
        return changes
    }

    /// The time within which the broker sends the newest statuses after a connection, seconds. Until then the problems
    /// in the database can be those of yesterday.
    private static let statusSeconds = 30.0

    /// Returns whether the broker has sent the newest statuses and reports.
    func hasStatuses(at now: RuleMoment, connectedSince connection: ContinuousClock.Instant) -> Bool {
        connection.duration(to: now.instant) >= .seconds(Self.statusSeconds)
    }

    /// Notes which problems a vehicle reports.
    mutating func notePosition(
        _ problems: [Problem], _ state: inout RuleVehicleState, at now: RuleMoment, _ changes: inout RuleChanges
    ) {
        state.positionMissingSince = problems.positionMissingSince.map { min($0, now.date) }
        guard state.positionMissingSince == nil, hasEpisode(state.vehicle) else { return }
        for rule in rules where rule.condition.kind == .noPosition {
            let key = EpisodeKey(rule: rule.name, vehicle: state.vehicle.key)
            end(key, rule, state.vehicle, at: now.date, text: "has a position again", &changes)
        }
    }

    /// Looks for vehicles that have had no position for too long.
    /// - Parameter connection: Since when the recorder has been connected to the broker; nil while it is not.
    mutating func findMissingPositions(
        at now: RuleMoment, connectedSince connection: ContinuousClock.Instant?
    ) -> RuleChanges {
        var changes = RuleChanges()
        guard let connection, hasStatuses(at: now, connectedSince: connection) else { return changes }
        for rule in rules {
            guard case .noPosition(let seconds) = rule.condition else { continue }
            for state in states where rule.applies(to: state.vehicle) && state.presence != .stopped {
                let key = EpisodeKey(rule: rule.name, vehicle: state.vehicle.key)
                guard episodes[key] == nil, !state.isForgotten, rule.isInForce(for: state, at: now.date),
                    let since = state.positionMissingSince,
                    now.date.seconds(since: since) >= seconds
                else { continue }
                begin(
                    key, Episode(begin: since),
                    RuleNotification(
                        rule, .begin, of: state.vehicle, at: since,
                        text: "has had no position for \(Self.minutes(seconds)) although it should have one"),
                    &changes)
            }
        }
        return changes
    }

    private static func minutes(_ seconds: Double) -> String {
        Format.count(Int((seconds / 60).rounded()), "minute", "minutes")
    }

    /// Returns how many vehicles have been silent for the usual time.
    func silentCount(at now: RuleMoment, connectedSince connection: ContinuousClock.Instant?) -> Int {
        guard let connection else { return 0 }
        return states.count { state in
            guard let limit = SilenceLimit(of: state, seconds: Self.usualSilenceSeconds, at: now) else { return false }
            return limit.isExceeded(by: state, at: now, connectedSince: connection)
        }
    }

    /// Looks for gaps that have been open for too long.
    /// - Parameter gaps: The open gaps that are watched.
    mutating func findGaps(_ gaps: [OpenGap], at now: RuleMoment) -> RuleChanges {
        var changes = RuleChanges()
        let open = Dictionary(grouping: gaps) { GapWatch.Place(vehicle: $0.vehicle, epoch: $0.epoch) }
        let lowest = Self.lowestEpochs(of: open.keys)
        for key in Array(episodes.keys) + gapWaits.keys {
            // An epoch that is not watched any more has not filled.
            guard let place = GapWatch.Place(key), let bound = lowest[place.vehicle], place.epoch < bound else {
                continue
            }
            remove(key, &changes)
            gapWaits[key] = nil
        }
        for rule in rules {
            guard case .gap(let seconds) = rule.condition else { continue }
            let marked = (Array(episodes.keys) + gapWaits.keys).filter { $0.rule == rule.name }
                .compactMap(GapWatch.Place.init)
            for place in Set(open.keys).union(marked) {
                guard let state = knownState(place.vehicle), rule.applies(to: state.vehicle) else { continue }
                let watch = GapWatch(
                    rule: rule, vehicle: state.vehicle, epoch: place.epoch, seconds: seconds,
                    isInForce: rule.isInForce(for: state, at: now.date),
                    isBudgetExhausted: state.budget?.isExhausted == true)
                watch.look(at: (open[place] ?? []).map(\.numbers), now, &self, &changes)
            }
        }
        return changes
    }

    /// Returns the lowest epoch that is watched of each vehicle that can have more epochs with gaps.
    private static func lowestEpochs(of places: some Collection<GapWatch.Place>) -> [Int64: Int64] {
        Dictionary(grouping: places, by: \.vehicle).filter { $0.value.count >= OpenGap.maximumEpochs }
            .compactMapValues { $0.map(\.epoch).min() }
    }
}

extension [Problem] {
    /// The time since which the problems say that there is no position although there should be one; nil if they do
    /// not.
    var positionMissingSince: Timestamp? {
        filter { [.positionLost, .sourceLost, .sourceFailed].contains($0.code) }.map(\.since).min()
    }
}
