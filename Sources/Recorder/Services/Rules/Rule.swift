import OdographCrontab

/// A rule: a condition about vehicles, and the target of the notifications about it.
package struct Rule: Hashable, Sendable {
    /// The name, unique in a configuration: 1 to 64 of the characters A-Z a-z 0-9 _ and -.
    package var name: String
    /// The condition that triggers the rule.
    package var condition: RuleCondition
    /// The fleet whose vehicles the rule is for; nil for all.
    package var fleet: String?
    /// The vehicle that the rule is for; nil for all.
    package var device: String?
    /// The group of the vehicles that the rule is for, as their reports state it; nil for all.
    package var group: String?
    /// The time in which the rule triggers, in the zone of the vehicle; nil for always.
    package var during: Schedule?
    /// Where notifications go.
    package var target: NotificationTarget
    /// Whether the end of an episode triggers a notification, too.
    package var notifiesEnd = false
    /// The age at its arrival above which a record triggers nothing, seconds.
    package var lateSeconds = 3600.0

    /// Returns whether the rule is for a vehicle, as far as its fleet and its name decide. What has begun ends also
    /// after the vehicle has left the group, and outside the time of the rule.
    func applies(to vehicle: RuleVehicle) -> Bool {
        (fleet ?? vehicle.fleet) == vehicle.fleet && (device ?? vehicle.device) == vehicle.device
    }
}

/// A condition that triggers a rule.
package enum RuleCondition: Hashable, Sendable {
    /// A vehicle that should report has not done so for a time, see ``SilenceLimit``.
    case silent(seconds: Double)
    /// A vehicle has entered or left a geofence. An empty set of identifiers means all geofences.
    case geofence(identifiers: Set<String>, events: Set<PresenceRuleEvent>)
    /// The records of a vehicle have had a greater speed for a time. Metres per second, seconds.
    case overspeed(speed: Double, seconds: Double)
    /// A vehicle was faster inside a geofence than the geofence allows. An empty set of identifiers means all
    /// geofences.
    case geofenceOverspeed(identifiers: Set<String>)
    /// A vehicle was driven harshly, or its engine idled for long.
    case driving
    /// A beacon came aboard a vehicle or left it. An empty set of names means all beacons.
    case beacon(identifiers: Set<String>, events: Set<PresenceRuleEvent>)
    /// A vehicle is carried, as by a tow truck: its signals say that it stands.
    case tow
    /// A vehicle has refused a value of its configuration, or a geofence.
    case rejectedConfiguration
    /// Numbers of a vehicle have been missing for a time, without an explanation.
    case gap(seconds: Double)
    /// A vehicle has reported for a time that it has no position although it should have one.
    case noPosition(seconds: Double)
    /// The validity of a certificate ends within a number of days.
    case certificate(days: Double)
    /// A service of a vehicle is due.
    case service(ServiceInterval)

    /// The value of `when` in the configuration and in a notification.
    package var kind: RuleKind {
        switch self {
        case .silent: .silent
        case .geofence: .geofence
        case .overspeed, .geofenceOverspeed: .overspeed
        case .driving: .driving
        case .beacon: .beacon
        case .tow: .tow
        case .rejectedConfiguration: .rejectedConfiguration
        case .gap: .gap
        case .noPosition: .noPosition
        case .certificate: .certificate
        case .service: .service
        }
    }
}

/// An element of `events` of a rule for geofences or beacons.
package enum PresenceRuleEvent: String, Hashable, Sendable, CaseIterable {
    case enter, exit
}

/// A vehicle in rules.
struct RuleVehicle: Hashable, Sendable {
    /// The key in the database.
    let key: Int64
    let fleet: String
    /// The name, unique within the fleet.
    let device: String
}
