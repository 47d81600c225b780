import Odograph
import OdographJSON
import OdographTerminal
import OdographWire

/// The discovery document of a vehicle for the MQTT integration of Home Assistant, 2024.12 or later.
///
/// Home Assistant reads it from a retained message, and then makes a device with one entity for each component. The
/// keys are those of its documentation, "MQTT: device discovery payload". The position is in the attributes of a
/// device tracker (`json_attributes_topic`), because `state_topic` of device trackers ends with Home Assistant 2027.1.
///
/// A template gives `None`, an unknown value, for each value that a message lacks. It must also render an empty
/// message, which the removal of a retained message is, without an error.
package struct HomeAssistantDocument: Hashable, Sendable {
    /// The first part of the topics of documents, as Home Assistant has it without another setting.
    public static let defaultPrefix = "homeassistant"
    /// Whether the broker retains documents. Home Assistant reads them also when it starts later.
    static let isRetained = true
    /// The greatest length of a version from a vehicle, characters.
    private static let longestVersion = 64

    private let address: DeviceAddress
    private let agentVersion: String?

    /// - Parameters:
    ///   - address: The topics of the vehicle.
    ///   - agentVersion: The version of its agent; nil if it is not known.
    package init(address: DeviceAddress, agentVersion: String?) {
        self.address = address
        self.agentVersion = agentVersion
    }

    // MARK: Topics

    /// Returns the topic of the document.
    /// - Parameter prefix: The first part of the topic.
    package func topic(prefix: String) -> String {
        "\(Self.topics(prefix: prefix, root: address.root, fleet: address.fleet))\(address.device)/config"
    }

    /// Returns the common beginning of the topics of a fleet's documents, with a slash at the end. Fleets of all roots
    /// have different ones, so that an access rule can name a fleet.
    package static func topics(prefix: String, root: String, fleet: String) -> String {
        "\(prefix)/device/\(node(root: root, fleet: fleet))/"
    }

    /// Returns `fleet-acme`. In root and fleet, `-` becomes `_2d` and `_` becomes `_5f`, so that each pair has a node
    /// of its own. Home Assistant allows no other characters in this part of a topic.
    private static func node(root: String, fleet: String) -> String {
        [root, fleet].map { $0.replacing("_", with: "_5f").replacing("-", with: "_2d") }.joined(separator: "-")
    }

    /// Checks the first part of a topic: names with slashes between them.
    /// - Throws: `ExitError` if a topic for publication cannot begin with it.
    package static func check(prefix: String) throws(ExitError) {
        let parts = prefix.split(separator: "/", omittingEmptySubsequences: false)
        let isRight = parts.allSatisfy { (try? DeviceAddress.validated(String($0), part: "prefix")) != nil }
        guard isRight else {
            throw ExitError(
                .usage,
                "the prefix \"\(prefix)\" cannot begin a topic; use names of the characters A-Z a-z 0-9 _ - with "
                    .printable + "slashes between them, as in the settings of Home Assistant's MQTT integration")
        }
    }

    // MARK: Content

    /// Returns the document as compact JSON with sorted keys.
    package func payload() throws -> [UInt8] { try JSONCoder.bytes(of: JSONValue.object(members)) }

    private var members: [String: JSONValue] {
        var device: [String: JSONValue] = [
            "identifiers": .array([.string(identifier)]), "name": .string(address.device),
            "manufacturer": .string("Odograph"), "model": .string("Fleet tracking agent"),
        ]
        device["sw_version"] = agentVersion.map { .string(String($0.printable.prefix(Self.longestVersion))) }
        return [
            "device": .object(device),
            "origin": .object(["name": .string("Odograph"), "sw_version": .string(Build.version)]),
            "components": .object(components),
        ]
    }

    /// `fleet/acme/van-7`: no other vehicle of the broker has it.
    private var identifier: String { "\(address.root)/\(address.fleet)/\(address.device)" }

    private var components: [String: JSONValue] {
        let location = address.topic(.location)
        let status = address.topic(.status)
        let availability = JSONValue.array([
            .object(["topic": .string(status), "value_template": .string(Template.state + "{{ s }}")])
        ])
        var all: [String: [String: JSONValue]] = [
            // Without a name of its own, the tracker has the name of the vehicle.
            "position": component(
                "device_tracker",
                [
                    "source_type": "gps", "json_attributes_topic": location,
                    "json_attributes_template": Template.attributes,
                ]
            ).merging(["name": .null]) { $1 },
            "speed": component(
                "sensor",
                [
                    "name": "Speed", "device_class": "speed", "unit_of_measurement": "m/s",
                    "state_class": "measurement", "state_topic": location, "value_template": Template.speed,
                ], decimals: 1),
            "odometer": component(
                "sensor",
                [
                    "name": "Odometer", "device_class": "distance", "unit_of_measurement": "m",
                    "state_class": "total_increasing", "state_topic": location, "value_template": Template.odometer,
                ], decimals: 0),
            "battery": component(
                "sensor",
                [
                    "name": "Battery", "device_class": "battery", "unit_of_measurement": "%",
                    "state_class": "measurement", "entity_category": "diagnostic", "state_topic": location,
                    "value_template": Template.battery,
                ]),
            "moving": component(
                "binary_sensor",
                [
                    "name": "Moving", "device_class": "moving", "state_topic": location,
                    "value_template": Template.moving,
                ]),
        ].mapValues { $0.merging(["availability": availability]) { $1 } }
        // It shows the connection, so it is also available without one.
        all["online"] = component(
            "binary_sensor",
            [
                "name": "Online", "device_class": "connectivity", "entity_category": "diagnostic",
                "state_topic": status, "value_template": Template.online,
            ])
        return Dictionary(
            uniqueKeysWithValues: all.map { key, members in
                (key, .object(members.merging(["unique_id": .string("\(identifier)/\(key)")]) { $1 }))
            })
    }

    private func component(
        _ platform: String, _ members: [String: String], decimals: Int64? = nil
    ) -> [String: JSONValue] {
        var all = members.mapValues { JSONValue.string($0) }
        all["platform"] = .string(platform)
        // A quality of service for the whole document would not reach the components.
        all["qos"] = .integer(1)
        all["suggested_display_precision"] = decimals.map { .integer($0) }
        return all
    }
}

/// The templates (Jinja2 with the tests and filters of Home Assistant). `value_json` is not defined if the payload is
/// not JSON. `default(…, true)` also replaces null.
private enum Template {
    /// `s` is the state of a status message; without one, the vehicle counts as offline.
    static let state = "{% set s = (value_json if value_json is mapping else {}).state | default('offline', true) %}"
    static let online = state + "{{ 'ON' if s == 'online' else 'OFF' }}"

    /// `l` is the record of a location message.
    private static let location =
        "{% set l = (value_json if value_json is mapping else {}).location | default({}, true) %}"
    /// `c` is its position.
    private static let coords = location + "{% set c = l.coords | default({}, true) %}"

    static let odometer = location + "{{ l.odometer if l.odometer is number else none }}"
    static let moving = location + "{{ ('ON' if l.is_moving else 'OFF') if l.is_moving is boolean else none }}"
    static let battery =
        location + "{% set b = (l.battery | default({}, true)).level %}"
        + "{{ (b * 100) | round | int if b is number else none }}"
    /// A receiver that does not know the speed gives -1.
    static let speed = coords + "{{ c.speed if c.speed is number and c.speed >= 0 else none }}"
    /// Without a position there are no attributes, and the tracker keeps or loses its place, as Home Assistant decides.
    /// An unknown accuracy or heading is -1. A date that is not known is left out.
    static let attributes =
        coords + "{% if c.latitude is number and c.longitude is number %}"
        + "{{ {'latitude': c.latitude, 'longitude': c.longitude, "
        + "'gps_accuracy': c.accuracy if c.accuracy is number and c.accuracy >= 0 else 0, "
        + "'heading': c.heading if c.heading is number and c.heading >= 0 else none, "
        + "'altitude': c.altitude if c.altitude is number else none, "
        + "'timestamp': l.timestamp if l.timestamp is string and not l.clock_untrusted | default(false) else none} "
        + "| to_json }}{% else %}{}{% endif %}"
}
