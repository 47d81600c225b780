import OdographJSON
import OdographSettings
public import OdographPositioning

/// The sources of the vehicle's signals. By default there are none.
public struct VehicleConfiguration: Hashable, Sendable {
    /// A source of signals.
    public enum Source: Hashable, Sendable {
        /// A CAN interface.
        case can(CANSettings)
        /// An ELM327 adapter.
        case elm327(ELM327Settings)
    }

    /// The sources, at most one of each kind.
    public var sources: [Source] = []

    /// The receiver of the beacons that `tracking.beacons` names; nil for none.
    public var bluetooth: BluetoothSettings?

    /// Creates a configuration without sources.
    public init() {}
}

extension VehicleConfiguration {
    /// The keys of the sources, in the order in which they are read and named.
    enum SourceKey: String, CaseIterable { case can, elm327 }

    /// Reads the keys under `vehicle`.
    package init(_ reader: inout SettingsReader, paths: PathResolver) {
        self.init()
        let isRequesting = reader.object("obd") { $0.bool("request", default: false) }
        for key in SourceKey.allCases where reader.value(key.rawValue) != nil {
            switch key {
            case .can:
                var settings = reader.object(key.rawValue, CANSettings.init)
                settings.isRequesting = isRequesting
                sources.append(.can(settings))
            case .elm327:
                sources.append(.elm327(reader.object(key.rawValue) { ELM327Settings(&$0, paths: paths) }))
                guard !isRequesting else { break }
                reader.reject(
                    key.rawValue, "the adapter can only request; set vehicle.obd.request to true, or remove it")
            }
        }
        if reader.value("bluetooth") != nil { bluetooth = reader.object("bluetooth", BluetoothSettings.init) }
    }

    /// The configuration as the value of the key `vehicle`.
    var document: JSONValue {
        var members: [String: JSONValue] = [:]
        var isRequesting = false
        for source in sources {
            switch source {
            case .can(let settings):
                isRequesting = isRequesting || settings.isRequesting
                members[SourceKey.can.rawValue] = .object([
                    "interface": .string(settings.interface), "protocol": .string(settings.protocol.rawValue),
                ])
            case .elm327(let settings):
                isRequesting = true
                members[SourceKey.elm327.rawValue] = .object([
                    "device": .string(settings.device), "bit_rate": .integer(Int64(settings.bitRate)),
                ])
            }
        }
        members["obd"] = .object(["request": .bool(isRequesting)])
        if let bluetooth { members["bluetooth"] = .object(["adapter": .string(bluetooth.adapter)]) }
        return .object(members)
    }
}

extension CANSettings {
    fileprivate init(_ reader: inout SettingsReader) {
        let name = reader.string("interface")
        if name == nil, !reader.hasValue("interface") {
            reader.reject("interface", "missing; write the name of a CAN interface, such as \"can0\"")
        }
        self.init(interface: name ?? "")
        if let name, name.utf8.count > Self.maximumInterfaceBytes || name.contains(where: { $0 == "/" || $0 == " " }) {
            reader.reject(
                "interface",
                "write the name of an interface: up to \(Self.maximumInterfaceBytes) bytes without space and slash"
            )
        }
        self.protocol = reader.choice("protocol", default: self.protocol)
    }
}

extension BluetoothSettings {
    fileprivate init(_ reader: inout SettingsReader) {
        self.init()
        adapter = reader.string("adapter") ?? adapter
        let digits = adapter.dropFirst(3)
        if !adapter.hasPrefix("hci") || !(1...4).contains(digits.utf8.count) || !digits.allSatisfy(\.isNumber) {
            reader.reject("adapter", "write the name of an adapter, such as \"hci0\"")
        }
    }
}

extension ELM327Settings {
    fileprivate init(_ reader: inout SettingsReader, paths: PathResolver) {
        let path = reader.string("device")
        if path == nil, !reader.hasValue("device") {
            reader.reject("device", "missing; write the path of a serial port, such as one in /dev/serial/by-id")
        }
        self.init(device: paths.resolve(path ?? ""))
        let rates = Self.bitRates
        bitRate = reader.integer(
            "bit_rate", default: bitRate, in: rates[0]...(rates.last ?? rates[0]), unit: "bits a second")
        if !rates.contains(bitRate) {
            reader.reject("bit_rate", "write one of \(rates.map { String($0) }.joined(separator: ", "))")
        }
    }
}
