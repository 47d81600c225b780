import OdographCivilTime
import OdographSettings
import OdographTerminal

/// A notification: what a rule tells its target, as JSON.
///
/// It contains a position only if the record that triggered the rule has it.
struct RuleNotification: Hashable, Sendable, Codable {
    /// The part of an episode.
    enum Phase: String, Hashable, Sendable, Codable {
        /// The episode has begun.
        case begin
        /// The episode has ended.
        case end
        /// A single event.
        case event
    }

    /// The place of the record that triggered the rule.
    struct Position: Hashable, Sendable, Codable {
        var latitude: Double
        var longitude: Double
        /// Metres; -1 if unknown.
        var accuracy: Double
    }

    /// A geofence and what happened there.
    struct Geofence: Hashable, Sendable, Codable {
        var identifier: String
        var action: String
        var name: String?
    }

    /// A beacon and its change.
    struct Beacon: Hashable, Sendable, Codable {
        var identifier: String
        var action: String
    }

    /// Speeds in metres per second.
    struct Speed: Hashable, Sendable, Codable {
        var limit: Double
        var peak: Double

        /// Returns a speed for people.
        /// - Parameter metersPerSecond: The speed, m/s.
        static func text(_ metersPerSecond: Double) -> String {
            "\((min(metersPerSecond, 1e6) * 3.6).formatted(decimals: 0)) km/h"
        }
    }

    /// A document that a vehicle has refused, and the place in it.
    struct RefusedValue: Hashable, Sendable, Codable {
        var topic: String
        var path: String
    }

    /// A range of missing numbers.
    struct MissingRange: Hashable, Sendable, Codable {
        var epoch: Int64
        var from: Int64
        var to: Int64
    }

    /// The identity: the same for each delivery, and after a restart or a restored database.
    var id: String
    /// The name of the rule.
    var rule: String
    /// The kind of the rule.
    var when: RuleKind
    var phase: Phase
    var fleet: String
    var device: String
    /// The time of the event; of an episode, its beginning or its end.
    var time: Timestamp
    /// One sentence for people.
    var text: String
    /// The number of the record that triggered the rule.
    var epoch: Int64?
    var seq: Int64?
    var position: Position?
    var geofence: Geofence?
    var beacon: Beacon?
    var speed: Speed?
    /// The first refused values, see ``maximumParts``.
    var refused: [RefusedValue]?
    /// The first missing numbers, see ``maximumParts``.
    var missing: [MissingRange]?
    /// The subject of the episode that begins, as in ``EpisodeKey``. The target does not get it.
    var episode = ""
    /// The key of the vehicle in the database. The target does not get it.
    var vehicleKey: Int64 = 0

    private enum CodingKeys: String, CodingKey {
        case id, rule, when, phase, fleet, device, time, text, epoch, seq, position, geofence, beacon, speed, refused
        case missing
    }

    /// The greatest number of elements of a list.
    static let maximumParts = 20

    /// The greatest length of a text from a message, bytes. A vehicle could make each notification as long as its
    /// message.
    static let maximumTextBytes = 1000

    /// The notification with shortened texts.
    var bounded: RuleNotification {
        var copy = self
        copy.text = Self.bounded(text)
        if let geofence {
            copy.geofence = Geofence(
                identifier: Self.bounded(geofence.identifier), action: Self.bounded(geofence.action),
                name: geofence.name.map(Self.bounded))
        }
        if let beacon {
            copy.beacon = Beacon(identifier: Self.bounded(beacon.identifier), action: Self.bounded(beacon.action))
        }
        copy.refused = refused?.map { RefusedValue(topic: Self.bounded($0.topic), path: Self.bounded($0.path)) }
        return copy
    }

    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > maximumTextBytes else { return text }
        // A character can have any number of bytes; a scalar has at most four.
        var (short, bytes) = (String.UnicodeScalarView(), 0)
        for scalar in text.unicodeScalars {
            bytes += scalar.utf8.count
            guard bytes <= maximumTextBytes - 3 else { break }
            short.append(scalar)
        }
        return String(short) + "…"
    }

    /// - Parameters:
    ///   - subject: What distinguishes the episode from others of the rule and the vehicle with this time.
    ///   - text: What the vehicle did, after its name.
    init(
        _ rule: Rule, _ phase: Phase, of vehicle: RuleVehicle, at time: Timestamp, subject: String = "", text: String
    ) {
        let identity = [
            rule.name, rule.condition.kind.rawValue, phase.rawValue, vehicle.fleet, vehicle.device, time.iso8601,
            subject,
        ]
        id = String(SHA256.hexDigest(of: Array(identity.joined(separator: "\n").utf8)).prefix(32))
        self.rule = rule.name
        when = rule.condition.kind
        self.phase = phase
        (fleet, device, vehicleKey) = (vehicle.fleet, vehicle.device, vehicle.key)
        self.time = time
        self.text = "\(vehicle.device) of \(vehicle.fleet) \(text)"
    }
}
