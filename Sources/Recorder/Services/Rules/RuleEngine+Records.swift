import OdographCivilTime
import OdographWire

extension RuleEngine {
    /// Watches the speed of a vehicle's newest record. A single fast record is no episode.
    mutating func watchSpeed(
        _ event: LocationEvent, _ state: inout RuleVehicleState, _ index: Int, limit: Double, seconds: Double,
        isInForce: Bool, _ changes: inout RuleChanges
    ) {
        let (rule, speed) = (rules[index], event.coords.speed)
        // A record without a speed neither begins nor ends an episode.
        guard speed >= 0 else { return }
        guard speed > limit else {
            if !state.fastRuns.isEmpty { state.fastRuns[index] = nil }
            guard hasEpisode(state.vehicle) else { return }
            let key = EpisodeKey(rule: rule.name, vehicle: state.vehicle.key)
            let text = "is no longer faster than \(RuleNotification.Speed.text(limit))"
            return end(key, rule, state.vehicle, at: event.timestamp, text: text, &changes)
        }
        guard isInForce else { return state.fastRuns[index] = nil }
        var run = state.fastRuns[index] ?? FastRun(begin: event.timestamp, peak: speed)
        run.add(event.timestamp, speed: speed)
        state.fastRuns[index] = run
        let key = EpisodeKey(rule: rule.name, vehicle: state.vehicle.key)
        guard episodes[key] == nil, event.timestamp > run.begin, event.timestamp.seconds(since: run.begin) >= seconds
        else { return }
        var notification = event.notification(
            rule, .begin, state.vehicle, at: run.begin,
            text: "was faster than \(RuleNotification.Speed.text(limit)), up to "
                + RuleNotification.Speed.text(run.peak))
        notification.speed = RuleNotification.Speed(limit: limit, peak: run.peak)
        begin(key, Episode(begin: run.begin), notification, &changes)
    }
}

extension LocationEvent {
    /// Returns the notification of a crossing of a geofence, or none.
    ///
    /// A geofence that is new, edited or deleted, or whose schedule changes, is no movement of the vehicle.
    func crossing(
        _ identifiers: Set<String>, _ events: Set<PresenceRuleEvent>, _ rule: Rule, _ vehicle: RuleVehicle
    ) -> [RuleNotification] {
        guard let geofence, identifiers.isEmpty || identifiers.contains(geofence.identifier),
            geofence.reason == nil || geofence.reason == .moved
        else { return [] }
        let verb: String
        switch geofence.action {
        case .enter where events.contains(.enter): verb = "entered"
        case .exit where events.contains(.exit): verb = "left"
        case .cross: verb = "went through"
        default: return []
        }
        return [notification(of: geofence, rule, vehicle, text: "\(verb) \(geofence.label)")]
    }

    /// Returns the notification of an event in which the vehicle was too fast inside a geofence, or none.
    func overspeedEvent(_ identifiers: Set<String>, _ rule: Rule, _ vehicle: RuleVehicle) -> [RuleNotification] {
        guard let geofence, geofence.action == .overspeed,
            identifiers.isEmpty || identifiers.contains(geofence.identifier)
        else { return [] }
        var notification = notification(of: geofence, rule, vehicle, text: "was too fast in \(geofence.label)")
        if let limit = geofence.speedLimit, let peak = geofence.peakSpeed {
            notification.speed = RuleNotification.Speed(limit: limit, peak: peak)
        }
        return [notification]
    }

    /// Returns the notification of harsh driving or long idling, or none.
    func drivingEvent(_ rule: Rule, _ vehicle: RuleVehicle) -> [RuleNotification] {
        guard let driving else { return [] }
        var text = "\(driving.kind.rawValue) for \(Int(min(max(driving.duration, 0), 1e6).rounded())) s"
        if let peak = driving.peakG {
            let hundredths = Int((min(max(peak, 0), 100) * 100).rounded())
            text = "harsh \(text), up to \(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10) g"
        }
        return [notification(rule, .event, vehicle, at: driving.startedAt, text: "reported \(text)")]
    }

    /// Returns the notification of a beacon that came aboard or left, or none.
    func beaconEvent(
        _ identifiers: Set<String>, _ events: Set<PresenceRuleEvent>, _ rule: Rule, _ vehicle: RuleVehicle
    ) -> [RuleNotification] {
        guard let beacon, identifiers.isEmpty || identifiers.contains(beacon.identifier) else { return [] }
        let text: String
        switch beacon.action {
        case .enter where events.contains(.enter): text = "has \(beacon.identifier) aboard"
        case .exit where events.contains(.exit): text = "no longer has \(beacon.identifier) aboard"
        default: return []
        }
        var notification = notification(rule, .event, vehicle, at: timestamp, text: text)
        notification.beacon = RuleNotification.Beacon(identifier: beacon.identifier, action: beacon.action.rawValue)
        return [notification]
    }

    private func notification(
        of geofence: GeofenceTrigger, _ rule: Rule, _ vehicle: RuleVehicle, text: String
    ) -> RuleNotification {
        var notification = notification(rule, .event, vehicle, at: geofence.occurredAt, text: text)
        notification.geofence = RuleNotification.Geofence(
            identifier: geofence.identifier, action: geofence.action.rawValue, name: geofence.name)
        return notification
    }

    /// Returns a notification with the number and the position of this record.
    func notification(
        _ rule: Rule, _ phase: RuleNotification.Phase, _ vehicle: RuleVehicle, at time: Timestamp, text: String
    ) -> RuleNotification {
        let number = "\(epoch ?? 0) \(seq ?? 0)"
        var notification = RuleNotification(rule, phase, of: vehicle, at: time, subject: number, text: text)
        (notification.epoch, notification.seq) = (epoch, seq)
        notification.position = RuleNotification.Position(
            latitude: coords.latitude, longitude: coords.longitude, accuracy: coords.accuracy)
        return notification
    }
}

extension TimelineEventRevision {
    /// Returns the notification that the vehicle is carried during this event.
    func carriage(_ meters: Double, _ rule: Rule, _ vehicle: RuleVehicle) -> RuleNotification {
        let text = "is carried with its wheels at rest, \(Int(min(meters, 1e9).rounded())) m so far"
        var notification = RuleNotification(rule, .begin, of: vehicle, at: startDate, subject: eventID, text: text)
        (notification.epoch, notification.seq) = (epoch, seq)
        notification.position = waypoints?.last.map {
            RuleNotification.Position(latitude: $0.latitude, longitude: $0.longitude, accuracy: $0.accuracy)
        }
        return notification
    }
}

extension GeofenceTrigger {
    /// The name for people.
    fileprivate var label: String { name ?? identifier }
}
