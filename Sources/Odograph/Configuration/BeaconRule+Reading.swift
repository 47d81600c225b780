import OdographBeacons
import OdographJSON
import OdographSettings

extension BeaconRule {
    /// The longest name of a beacon, bytes of UTF-8.
    private static let longestIdentifier = 64

    package init(_ reader: inout SettingsReader) {
        self.init()
        exitSeconds = reader.number("exit_after", default: exitSeconds, in: 10...3600, unit: "seconds")
        minimumSignalDBm = reader.integer(
            "minimum_rssi", default: minimumSignalDBm, in: -110 ... -20, unit: "decibels above a milliwatt")
        guard case .object(let members)? = reader.value("known") else {
            if reader.hasValue("known") { reader.reject("known", "write an object, { name: { … }, … }") }
            return
        }
        if members.count > Self.maximumCount {
            reader.reject("known", "name at most \(Self.maximumCount) beacons")
        }
        known = reader.object("known") { reader in
            var known: [String: BeaconPattern] = [:]
            for (identifier, value) in members.sorted(by: { $0.key < $1.key }) {
                if identifier.isEmpty || identifier.utf8.count > Self.longestIdentifier {
                    reader.reject(identifier, "the name must have 1 to \(Self.longestIdentifier) bytes")
                }
                // A document removes a beacon of the local file with null.
                let pattern = reader.object(identifier) { value == .null ? nil : BeaconPattern(&$0) }
                if let pattern { known[identifier] = pattern }
            }
            return known
        }
    }

    /// The rule as the value of the key `beacons`, defaults included.
    package var document: JSONValue {
        .object([
            "exit_after": .number(exitSeconds), "minimum_rssi": .integer(Int64(minimumSignalDBm)),
            "known": .object(known.mapValues(\.document)),
        ])
    }
}

extension BeaconPattern {
    private static let kinds = ["ibeacon", "eddystone", "address", "name"]

    fileprivate init?(_ reader: inout SettingsReader) {
        // A document that gives a beacon another kind of pattern has null at the former kind.
        let given = Self.kinds.filter { reader.value($0) != nil }
        guard given.count == 1, let kind = given.first else {
            reader.reject(given.last ?? "ibeacon", "write one of \(Self.kinds.joined(separator: ", "))")
            return nil
        }
        let pattern: BeaconPattern?
        switch kind {
        case "ibeacon": pattern = reader.object("ibeacon", Self.iBeacon)
        case "eddystone": pattern = reader.object("eddystone", Self.eddystone)
        case "address":
            pattern = reader.string("address").flatMap(Self.addressPattern).map { .address($0) }
            if pattern == nil {
                reader.reject("address", "write an address, such as \"AA:BB:CC:DD:EE:FF\", or \"AA:BB:CC:*\"")
            }
        default:
            let name = reader.string("name")
            if let name, name.utf8.count > Self.maximumTextBytes || name.allSatisfy({ $0 == "*" }) {
                reader.reject("name", "write up to \(Self.maximumTextBytes) bytes, and more than * alone")
            }
            pattern = name.map { .name($0) }
        }
        guard let pattern else { return nil }
        self = pattern
    }

    private static func iBeacon(_ reader: inout SettingsReader) -> BeaconPattern? {
        let major = reader.optionalInteger("major", in: 0...65_535, unit: "the iBeacon")
        let minor = reader.optionalInteger("minor", in: 0...65_535, unit: "the iBeacon")
        if minor != nil, major == nil { reader.reject("minor", "set major too") }
        guard let uuid = bytes("uuid", count: 16, &reader) else { return nil }
        return .iBeacon(
            uuid: uuid, major: major.map { UInt16(clamping: $0) }, minor: minor.map { UInt16(clamping: $0) })
    }

    private static func eddystone(_ reader: inout SettingsReader) -> BeaconPattern? {
        let instance = reader.hasValue("instance") ? bytes("instance", count: 6, &reader) : nil
        if !reader.hasValue("instance") { _ = reader.value("instance") }
        guard let namespace = bytes("namespace", count: 10, &reader) else { return nil }
        return .eddystone(namespace: namespace, instance: instance)
    }

    private static func bytes(_ key: String, count: Int, _ reader: inout SettingsReader) -> [UInt8]? {
        let bytes = reader.string(key).flatMap { Self.bytes(of: $0, count: count) }
        if bytes == nil { reader.reject(key, "write \(2 * count) hexadecimal digits") }
        return bytes
    }

    /// The pattern as the value of the key with its name.
    fileprivate var document: JSONValue {
        switch self {
        case .iBeacon(let uuid, let major, let minor):
            var members: [String: JSONValue] = ["uuid": .string(Self.text(of: uuid))]
            if let major { members["major"] = .integer(Int64(major)) }
            if let minor { members["minor"] = .integer(Int64(minor)) }
            return .object(["ibeacon": .object(members)])
        case .eddystone(let namespace, let instance):
            var members: [String: JSONValue] = ["namespace": .string(Self.text(of: namespace))]
            if let instance { members["instance"] = .string(Self.text(of: instance)) }
            return .object(["eddystone": .object(members)])
        case .address(let pattern): return .object(["address": .string(pattern)])
        case .name(let pattern): return .object(["name": .string(pattern)])
        }
    }
}
