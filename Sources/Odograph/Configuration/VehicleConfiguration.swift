import OdographJSON
import OdographSettings
public import OdographPositioning

/// The sources of the vehicle's signals. By default there are none.
public struct VehicleConfiguration: Hashable, Sendable {
    /// The CAN interface; nil for none.
    public var can: CANSettings?
    /// The ELM327 adapter; nil for none.
    public var elm327: ELM327Settings?

    /// The receiver of the beacons that `tracking.beacons` names; nil for none.
    public var bluetooth: BluetoothSettings?

    /// Creates a configuration without sources.
    public init() {}
}

extension VehicleConfiguration {
    /// Reads the keys under `vehicle`.
    package init(_ reader: inout SettingsReader, paths: PathResolver) {
        self.init()
        let isRequesting = reader.object("obd") { $0.bool("request", default: false) }
        if reader.value("can") != nil {
            can = reader.object("can", CANSettings.init)
            can?.isRequesting = isRequesting
        }
        if reader.value("elm327") != nil {
            elm327 = reader.object("elm327") { ELM327Settings(&$0, paths: paths) }
            if !isRequesting {
                reader.reject("elm327", "the adapter can only request; set vehicle.obd.request to true, or remove it")
            }
        }
        if reader.value("bluetooth") != nil { bluetooth = reader.object("bluetooth", BluetoothSettings.init) }
    }

    /// The configuration as the value of the key `vehicle`.
    var document: JSONValue {
        var members: [String: JSONValue] = [
            "obd": .object(["request": .bool(can?.isRequesting ?? (elm327 != nil))])
        ]
        if let can {
            members["can"] = .object([
                "interface": .string(can.interface), "protocol": .string(can.protocol.rawValue),
            ])
        }
        if let elm327 {
            members["elm327"] = .object([
                "device": .string(elm327.device), "bit_rate": .integer(Int64(elm327.bitRate)),
            ])
        }
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
