import OdographCivilTime
import OdographJSON
import OdographWire

/// Decides which rules are triggered. It has neither a clock, nor a database, nor a network.
struct RuleEngine {
    /// More vehicles than any fleet has. The memory stays bounded if a client invents names.
    private static let maximumVehicles = 100_000
    /// The time without a sign of life after which a vehicle counts as silent in the metrics, seconds.
    static let usualSilenceSeconds = 3600.0

    let rules: [Rule]
    private var vehicles: [Int64: RuleVehicleState] = [:]
    /// The places of the rules for geofence events, for speeds, the driving style and beacons, for the timeline, and
    /// for silence. Few records concern the first ones.
    private let (geofenceRules, speedRules, towRules, silenceRules): ([Int], [Int], [Int], [Int])
    /// The number of episodes of each vehicle that has one. Most vehicles have none, and need no look at each rule.
    private var episodeCounts: [Int64: Int] = [:]
    /// The episodes that last.
    private(set) var episodes: [EpisodeKey: Episode]
    /// The missing numbers for which a rule waits. After a restart the wait begins again.
    var gapWaits: [EpisodeKey: GapWait] = [:]

    /// - Parameters:
    ///   - rules: The rules.
    ///   - vehicles: The known vehicles.
    ///   - episodes: The stored episodes.
    init(rules: [Rule], vehicles: [RuleVehicleState] = [], episodes: [EpisodeKey: Episode] = [:]) {
        self.rules = rules
        func places(_ kinds: RuleKind...) -> [Int] {
            rules.indices.filter { kinds.contains(rules[$0].condition.kind) }
        }
        geofenceRules = places(.geofence, .overspeed)
        speedRules = places(.overspeed, .driving, .beacon)
        towRules = places(.tow)
        silenceRules = places(.silent)
        for state in vehicles.prefix(Self.maximumVehicles) { self.vehicles[state.vehicle.key] = state }
        self.episodes = episodes
        for key in episodes.keys { episodeCounts[key.vehicle, default: 0] += 1 }
    }

    // MARK: - Messages

    /// Evaluates a record that was not stored before.
    mutating func handle(_ event: LocationEvent, of vehicle: RuleVehicle, at now: RuleMoment) -> RuleChanges {
        var changes = RuleChanges()
        guard var state = noteSign(of: vehicle, at: now, &changes) else { return changes }
        // A record with a date in the future would hide all that come after it.
        let isNewest = event.timestamp <= now.latestDate && state.newestRecord.map { event.timestamp > $0 } ?? true
        // Where and how a vehicle drives in private use triggers no notification. It neither begins nor ends an episode.
        let isPrivate = event.isOfPrivateUse
        if isPrivate { state.fastRuns = [:] }
        let places = isPrivate ? [] : event.geofence == nil ? speedRules : geofenceRules
        for index in places where rules[index].applies(to: vehicle) {
            let rule = rules[index]
            guard event.isTimely(for: rule, at: now.date) else { continue }
            switch rule.condition {
            case .geofence(let identifiers, let events):
                changes.notifications += event.crossing(identifiers, events, rule, vehicle)
            case .geofenceOverspeed(let identifiers):
                changes.notifications += event.overspeedEvent(identifiers, rule, vehicle)
            case .overspeed(let speed, let seconds) where isNewest:
                watchSpeed(event, &state, index, limit: speed, seconds: seconds, &changes)
            case .driving: changes.notifications += event.drivingEvent(rule, vehicle)
            case .beacon(let identifiers, let events):
                changes.notifications += event.beaconEvent(identifiers, events, rule, vehicle)
            case .overspeed, .silent, .tow, .rejectedConfiguration, .gap, .noPosition: break
            }
        }
        if isNewest {
            state.newestRecord = event.timestamp
            state.isMoving = event.isMoving
        }
        vehicles[vehicle.key] = state
        return changes
    }

    /// Evaluates a revision of an event of the timeline that was not stored before.
    mutating func handle(_ event: TimelineEventRevision, of vehicle: RuleVehicle, at now: RuleMoment) -> RuleChanges {
        var changes = handleRecord(of: vehicle, at: now)
        for rule in towRules.map({ rules[$0] }) where rule.applies(to: vehicle) {
            let key = EpisodeKey(rule: rule.name, vehicle: vehicle.key, subject: event.eventID)
            guard !event.isOfPrivateUse else {
                // Its end triggers no notification.
                if !event.isProvisional { remove(key, &changes) }
                continue
            }
            let isTimely = now.date.seconds(since: event.lastUpdateDate) <= rule.lateSeconds
            if let meters = event.carriedInMeters, meters > 0, isTimely, episodes[key] == nil {
                begin(key, Episode(begin: event.startDate), &changes)
                changes.notifications.append(event.carriage(meters, rule, vehicle))
            }
            if !event.isProvisional {
                end(key, rule, vehicle, at: event.endDate ?? event.startDate, text: "is no longer carried", &changes)
            }
        }
        return changes
    }

    /// Notes another record that was not stored before: a sign of life.
    mutating func handleRecord(of vehicle: RuleVehicle, at now: RuleMoment) -> RuleChanges {
        var changes = RuleChanges()
        if let state = noteSign(of: vehicle, at: now, &changes) { vehicles[vehicle.key] = state }
        return changes
    }

    /// Evaluates a status. The broker sends the newest one again with each connection, and a last will is not from the
    /// vehicle: both are no signs of life.
    mutating func handle(_ status: StatusMessage, of vehicle: RuleVehicle, at now: RuleMoment) -> RuleChanges {
        var changes = RuleChanges()
        guard var state = state(of: vehicle) else { return changes }
        if let known = state.status, status.isLate(after: known) { return changes }
        state.status = (status.session, status.timestamp)
        let isWill = status.state == .offline && status.reason != .stopped
        state.presence = status.state == .online ? .online : isWill ? .lost : .stopped
        if status.state == .online { notePosition(status.problems ?? [], &state, at: now, &changes) }
        vehicles[vehicle.key] = state
        if !isWill, let noted = noteSign(of: vehicle, at: now, &changes) { vehicles[vehicle.key] = noted }
        return changes
    }

    /// Evaluates a report.
    mutating func handle(_ report: ReportedMessage, of vehicle: RuleVehicle, at now: RuleMoment) -> RuleChanges {
        var changes = RuleChanges()
        guard var state = state(of: vehicle) else { return changes }
        if let heartbeat = report.heartbeatSeconds { state.heartbeatSeconds = heartbeat }
        if let interval = report.movingSeconds { state.movingSeconds = interval }
        // The clock of the vehicle can have been ahead, and is right again.
        let isRepeated =
            state.report.map {
                report.timestamp == $0.timestamp
                    || report.timestamp < $0.timestamp && $0.timestamp <= now.latestDate
            } ?? false
        if !isRepeated { state.report = ReportFacts(report) }
        vehicles[vehicle.key] = state
        if !isRepeated, let noted = noteSign(of: vehicle, at: now, &changes) { vehicles[vehicle.key] = noted }
        // A report that was received before is also evaluated: the rule can be new.
        guard report.timestamp == vehicles[vehicle.key]?.report?.timestamp else { return changes }
        for rule in rules where rule.condition == .rejectedConfiguration && rule.applies(to: vehicle) {
            watchConfiguration(report, rule, vehicle, &changes)
        }
        return changes
    }

    private mutating func watchConfiguration(
        _ report: ReportedMessage, _ rule: Rule, _ vehicle: RuleVehicle, _ changes: inout RuleChanges
    ) {
        let key = EpisodeKey(rule: rule.name, vehicle: vehicle.key)
        let refused = report.refusedValues
        if refused.isEmpty {
            end(key, rule, vehicle, at: report.timestamp, text: "accepts its configuration again", &changes)
        } else if episodes[key] == nil {
            begin(key, Episode(begin: report.timestamp), &changes)
            var notification = RuleNotification(
                rule, .begin, of: vehicle, at: report.timestamp,
                text: "has refused \(refused.count) values of its configuration or geofences")
            notification.refused = Array(refused.prefix(RuleNotification.maximumParts))
            changes.notifications.append(notification)
        }
    }

    // MARK: - Vehicles

    /// Returns the state of a vehicle, which gets one if it is new; nil if there are too many vehicles.
    func state(of vehicle: RuleVehicle) -> RuleVehicleState? {
        if let state = vehicles[vehicle.key] { return state }
        return vehicles.count < Self.maximumVehicles ? RuleVehicleState(vehicle) : nil
    }

    /// Returns the state of a known vehicle.
    func knownState(_ key: Int64) -> RuleVehicleState? { vehicles[key] }

    /// All states.
    var states: some Collection<RuleVehicleState> { vehicles.values }

    /// Notes a sign of life, which ends silence.
    private mutating func noteSign(
        of vehicle: RuleVehicle, at now: RuleMoment, _ changes: inout RuleChanges
    ) -> RuleVehicleState? {
        guard var state = state(of: vehicle) else { return nil }
        state.lastSign = now.instant
        state.isForgotten = false
        guard hasEpisode(vehicle) else { return state }
        for rule in silenceRules.map({ rules[$0] }) where rule.applies(to: vehicle) {
            let key = EpisodeKey(rule: rule.name, vehicle: vehicle.key)
            end(key, rule, vehicle, at: now.date, text: "reports again", &changes)
        }
        return state
    }

    // MARK: - Episodes

    /// Returns whether a vehicle has an episode of any rule.
    func hasEpisode(_ vehicle: RuleVehicle) -> Bool { episodeCounts[vehicle.key] != nil }

    /// Begins an episode, or changes it.
    mutating func begin(_ key: EpisodeKey, _ episode: Episode, _ changes: inout RuleChanges) {
        if episodes.updateValue(episode, forKey: key) == nil { episodeCounts[key.vehicle, default: 0] += 1 }
        changes.episodes[key] = .some(episode)
    }

    /// Removes an episode without a notification.
    mutating func remove(_ key: EpisodeKey, _ changes: inout RuleChanges) {
        guard episodes.removeValue(forKey: key) != nil else { return }
        let count = episodeCounts[key.vehicle] ?? 0
        episodeCounts[key.vehicle] = count > 1 ? count - 1 : nil
        changes.episodes[key] = .some(nil)
    }

    /// Ends an episode if it lasts.
    mutating func end(
        _ key: EpisodeKey, _ rule: Rule, _ vehicle: RuleVehicle, at time: Timestamp, text: String,
        _ changes: inout RuleChanges
    ) {
        guard episodes[key] != nil else { return }
        remove(key, &changes)
        guard rule.notifiesEnd else { return }
        changes.notifications.append(
            RuleNotification(rule, .end, of: vehicle, at: time, subject: key.subject, text: text))
    }
}

extension LocationEvent {
    /// Returns whether the record is new enough for a rule. The age of one without a certain date is not known.
    fileprivate func isTimely(for rule: Rule, at date: Timestamp) -> Bool {
        clockUntrusted != true && date.seconds(since: geofence?.confirmedAt ?? timestamp) <= rule.lateSeconds
    }
}

extension StatusMessage {
    /// Returns whether the status was made before a known one. A vehicle with a new disk begins with session 1 again,
    /// so only a status that says offline is late because of its session: a will of an earlier connection.
    fileprivate func isLate(after known: (session: Int64, date: Timestamp)) -> Bool {
        if session == known.session { return reason != .connectionLost && timestamp <= known.date }
        return session < known.session && (state == .offline || timestamp <= known.date)
    }
}

extension ReportedMessage {
    /// The longest time between two messages with records of a moving vehicle, seconds: the time until a record is
    /// made, and the time for which it waits for its batch. Nil if the report does not contain the configuration.
    fileprivate var movingSeconds: Double? {
        guard let configuration else { return nil }
        let tracking = configuration["tracking"]
        let interval = tracking?["sampling"]?["maximum_interval"]?.double ?? RuleVehicleState.usualMovingSeconds
        guard tracking?["encoding"]?.text == "compact" else { return RuleVehicleState.movingInterval(interval) }
        return RuleVehicleState.movingInterval(interval + (tracking?["batch_interval"]?.double ?? 60))
    }

    /// The values and geofences that the vehicle has refused.
    fileprivate var refusedValues: [RuleNotification.RefusedValue] {
        errors.map { RuleNotification.RefusedValue(topic: $0.topic, path: $0.path) }
            + geofences.errors.map { RuleNotification.RefusedValue(topic: $0.topic, path: $0.path) }
    }
}
