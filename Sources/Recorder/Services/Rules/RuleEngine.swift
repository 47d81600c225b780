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
    /// The places of the rules for geofence events, for speeds, the driving style and beacons, for the timeline, for
    /// silence, and for services. Few records concern the first ones.
    private let (geofenceRules, speedRules, towRules, silenceRules): ([Int], [Int], [Int], [Int])
    private let serviceRules: [Int]
    /// Reads the rules of a zone.
    private let zones: @Sendable (String) -> ZoneRules?
    /// The zones of the vehicles. A name that this machine does not know stands for UTC.
    private var knownZones: [String: ZoneRules] = [:]
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
    ///   - zones: Reads the rules of a zone; nil for a name that is not known.
    init(
        rules: [Rule], vehicles: [RuleVehicleState] = [], episodes: [EpisodeKey: Episode] = [:],
        zones: @escaping @Sendable (String) -> ZoneRules? = { try? ZoneDirectory.system.rules(named: $0) }
    ) {
        (self.rules, self.zones) = (rules, zones)
        func places(_ kinds: RuleKind...) -> [Int] {
            rules.indices.filter { kinds.contains(rules[$0].condition.kind) }
        }
        geofenceRules = places(.geofence, .overspeed)
        speedRules = places(.overspeed, .driving, .beacon)
        towRules = places(.tow)
        silenceRules = places(.silent)
        serviceRules = places(.service)
        self.episodes = episodes
        for var state in vehicles.prefix(Self.maximumVehicles) {
            state.zone = zone(named: state.report?.timeZone)
            self.vehicles[state.vehicle.key] = state
        }
        for key in episodes.keys { episodeCounts[key.vehicle, default: 0] += 1 }
    }

    // MARK: - Messages

    /// Evaluates a record that was not stored before.
    mutating func handle(_ event: LocationEvent, of vehicle: RuleVehicle, at now: RuleMoment) -> RuleChanges {
        var changes = RuleChanges()
        guard var state = noteSign(of: vehicle, at: now, &changes) else { return changes }
        // A record with a date in the future would hide all that come after it.
        let isNewest = event.timestamp <= now.latestDate && state.newestRecord.map { event.timestamp > $0 } ?? true
        // Where and how a vehicle drives in private use triggers no notification. It neither begins nor ends an
        // episode.
        let isPrivate = event.isOfPrivateUse
        if isPrivate {
            state.fastRuns = [:]
            state.notePrivateUse(at: event.timestamp, now: now)
        }
        let isTelling = !isPrivate && !state.isOfPrivateUse(event.occurrence, toldAt: event.timestamp)
        let places = isTelling ? event.geofence == nil ? speedRules : geofenceRules : []
        for index in places where rules[index].applies(to: vehicle) {
            let rule = rules[index]
            guard event.isTimely(for: rule, at: now.date) else { continue }
            let isInForce = rule.isInForce(for: state, at: event.occurrence)
            switch rule.condition {
            case .overspeed(let speed, let seconds) where isNewest:
                watchSpeed(event, &state, index, limit: speed, seconds: seconds, isInForce: isInForce, &changes)
            case _ where !isInForce: break
            case .geofence(let identifiers, let events):
                changes.notifications += event.crossing(identifiers, events, rule, vehicle)
            case .geofenceOverspeed(let identifiers):
                changes.notifications += event.overspeedEvent(identifiers, rule, vehicle)
            case .driving: changes.notifications += event.drivingEvent(rule, vehicle)
            case .beacon(let identifiers, let events):
                changes.notifications += event.beaconEvent(identifiers, events, rule, vehicle)
            case .overspeed, .silent, .tow, .rejectedConfiguration, .gap, .noPosition, .certificate, .service: break
            }
        }
        if isNewest {
            noteUse(event, &state, isPrivate: isPrivate, &changes)
            state.newestRecord = event.timestamp
            state.isMoving = event.isMoving
        }
        vehicles[vehicle.key] = state
        return changes
    }

    /// Notes what the newest record says about the use of the vehicle. Private use counts, and triggers nothing.
    private mutating func noteUse(
        _ event: LocationEvent, _ state: inout RuleVehicleState, isPrivate: Bool, _ changes: inout RuleChanges
    ) {
        guard !serviceRules.isEmpty, !event.mock else { return }
        if event.vehicle?.odometer != nil { state.hasOwnOdometer = true }
        state.engine.note(event)
        guard !isPrivate else { return }
        let milliseconds = state.engine.takeUncounted()
        for rule in serviceRules.map({ rules[$0] }) where rule.applies(to: state.vehicle) {
            guard case .service(let interval) = rule.condition else { continue }
            watchService(event, state, rule, interval, engineMilliseconds: milliseconds, &changes)
        }
    }

    /// Evaluates a revision of an event of the timeline that was not stored before.
    mutating func handle(_ event: TimelineEventRevision, of vehicle: RuleVehicle, at now: RuleMoment) -> RuleChanges {
        var changes = handleRecord(of: vehicle, at: now)
        if event.isOfPrivateUse {
            vehicles[vehicle.key]?.notePrivateUse(at: event.endDate ?? event.lastUpdateDate, now: now)
        }
        guard let state = vehicles[vehicle.key] else { return changes }
        for rule in towRules.map({ rules[$0] }) where rule.applies(to: vehicle) {
            let key = EpisodeKey(rule: rule.name, vehicle: vehicle.key, subject: event.eventID)
            guard !event.isOfPrivateUse else {
                // Its end triggers no notification.
                if !event.isProvisional { remove(key, &changes) }
                continue
            }
            let isTimely = now.date.seconds(since: event.lastUpdateDate) <= rule.lateSeconds
            if let meters = event.carriedInMeters, meters > 0, isTimely, episodes[key] == nil,
                rule.isInForce(for: state, at: event.lastUpdateDate)
            {
                begin(key, Episode(begin: event.startDate), event.carriage(meters, rule, vehicle), &changes)
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
        state.status = (status.connection, status.timestamp)
        let isWill = status.state == .offline && status.reason != .stopped
        state.presence = status.state == .online ? .online : isWill ? .lost : .stopped
        if !isWill {
            let isExhausted = status.budget?.step == .exhausted
            state.noteBudget(isExhausted: isExhausted, at: status.timestamp, latest: now.latestDate)
        }
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
        if !isRepeated {
            state.report = ReportFacts(report)
            let isExhausted = report.budget?.step == .exhausted
            state.noteBudget(isExhausted: isExhausted, at: report.timestamp, latest: now.latestDate)
            state.zone = zone(named: report.timeZone)
        }
        // A report that was received before is also evaluated: the rule can be new.
        let isNewest = report.timestamp == state.report?.timestamp
        if isNewest { state.refused = RefusedConfiguration(report) }
        vehicles[vehicle.key] = state
        if !isRepeated, let noted = noteSign(of: vehicle, at: now, &changes) { vehicles[vehicle.key] = noted }
        guard isNewest else { return changes }
        for rule in rules where rule.condition == .rejectedConfiguration && rule.applies(to: vehicle) {
            watchConfiguration(rule, state, at: now, &changes)
        }
        return changes
    }

    /// Looks for refused configurations whose rules have come into force since the report.
    mutating func findRefusals(at now: RuleMoment) -> RuleChanges {
        var changes = RuleChanges()
        for rule in rules where rule.condition == .rejectedConfiguration && rule.during != nil {
            for state in states where state.refused != nil && rule.applies(to: state.vehicle) {
                watchConfiguration(rule, state, at: now, &changes)
            }
        }
        return changes
    }

    private mutating func watchConfiguration(
        _ rule: Rule, _ state: RuleVehicleState, at now: RuleMoment, _ changes: inout RuleChanges
    ) {
        let (vehicle, key) = (state.vehicle, EpisodeKey(rule: rule.name, vehicle: state.vehicle.key))
        guard let refused = state.refused else {
            let time = state.report?.timestamp ?? now.date
            return end(key, rule, vehicle, at: time, text: "accepts its configuration again", &changes)
        }
        guard episodes[key] == nil, rule.isInForce(for: state, at: now.date) else { return }
        var notification = RuleNotification(
            rule, .begin, of: vehicle, at: refused.time,
            text: "has refused \(refused.count) values of its configuration or geofences")
        notification.refused = refused.values
        begin(key, Episode(begin: refused.time), notification, &changes)
    }

    // MARK: - Vehicles

    /// Returns the state of a vehicle, which gets one if it is new; nil if there are too many vehicles.
    func state(of vehicle: RuleVehicle) -> RuleVehicleState? {
        if let state = vehicles[vehicle.key] { return state }
        return vehicles.count < Self.maximumVehicles ? RuleVehicleState(vehicle) : nil
    }

    /// Returns the state of a known vehicle.
    func knownState(_ key: Int64) -> RuleVehicleState? { vehicles[key] }

    /// Returns the rules of a zone, or those of UTC.
    private mutating func zone(named name: String?) -> ZoneRules {
        guard let name else { return .utc }
        if let known = knownZones[name] { return known }
        let zone = zones(name) ?? .utc
        // A client can invent names.
        if knownZones.count < 1000 { knownZones[name] = zone }
        return zone
    }

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

    /// Begins an episode with its notification, or changes it.
    mutating func begin(
        _ key: EpisodeKey, _ episode: Episode, _ notification: RuleNotification, _ changes: inout RuleChanges
    ) {
        keep(key, episode, &changes)
        var notification = notification
        notification.episode = key.subject
        changes.notifications.append(notification)
    }

    /// Stores an episode.
    mutating func keep(_ key: EpisodeKey, _ episode: Episode, _ changes: inout RuleChanges) {
        if episodes.updateValue(episode, forKey: key) == nil { episodeCounts[key.vehicle, default: 0] += 1 }
        changes.episodes[key] = .some(episode)
    }

    /// Removes an episode without a notification.
    /// - Parameter time: When it ended; nil for the moment of the evaluation.
    mutating func remove(_ key: EpisodeKey, at time: Timestamp? = nil, _ changes: inout RuleChanges) {
        guard episodes.removeValue(forKey: key) != nil else { return }
        let count = episodeCounts[key.vehicle] ?? 0
        episodeCounts[key.vehicle] = count > 1 ? count - 1 : nil
        changes.episodes[key] = .some(nil)
        changes.ends.append(EpisodeEnd(key: key, time: time, notifications: changes.notifications.count))
    }

    /// Ends an episode if it lasts.
    mutating func end(
        _ key: EpisodeKey, _ rule: Rule, _ vehicle: RuleVehicle, at time: Timestamp, text: String,
        _ changes: inout RuleChanges
    ) {
        guard episodes[key] != nil else { return }
        remove(key, at: time, &changes)
        guard rule.notifiesEnd else { return }
        changes.notifications.append(
            RuleNotification(rule, .end, of: vehicle, at: time, subject: key.subject, text: text))
    }
}

extension LocationEvent {
    /// The time at which happened what the record tells.
    fileprivate var occurrence: Timestamp { geofence?.occurredAt ?? driving?.startedAt ?? timestamp }

    /// Returns whether the record is new enough for a rule. The age of one without a certain date is not known.
    fileprivate func isTimely(for rule: Rule, at date: Timestamp) -> Bool {
        clockUntrusted != true && date.seconds(since: geofence?.confirmedAt ?? timestamp) <= rule.lateSeconds
    }
}

extension StatusMessage {
    /// Returns whether the status was made before a known one. A vehicle with a new disk begins with connection 1
    /// again, so only a status that says offline is late because of its connection: a will of an earlier connection.
    fileprivate func isLate(after known: (connection: Int64, date: Timestamp)) -> Bool {
        if connection == known.connection { return reason != .connectionLost && timestamp <= known.date }
        return connection < known.connection && (state == .offline || timestamp <= known.date)
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
}
