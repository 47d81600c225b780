/// The advertisement of a Bluetooth device, as far as it is known.
public struct Advertisement: Hashable, Sendable {
    /// The address of the device, as `AA:BB:CC:DD:EE:FF`.
    public var address: String
    /// The name of the device; nil for none.
    public var name: String?
    /// The data of manufacturers by their company identifier.
    public var manufacturerData: [UInt16: [UInt8]]
    /// The data of services by their UUID, in lower case with hyphens.
    public var serviceData: [String: [UInt8]]

    /// Creates an advertisement.
    public init(
        address: String, name: String? = nil, manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [String: [UInt8]] = [:]
    ) {
        self.address = address
        self.name = name
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
    }

    /// The iBeacon that is advertised; nil for none. The form is that of Apple's Proximity Beacon Specification,
    /// release R1: company 0x004C, type 0x02, length 0x15, UUID, major, minor and the power at 1 m.
    public var iBeacon: (uuid: [UInt8], major: UInt16, minor: UInt16)? {
        guard let data = manufacturerData[0x004C], data.count == 23, data[0] == 0x02, data[1] == 0x15 else {
            return nil
        }
        let major = UInt16(data[18]) << 8 | UInt16(data[19])
        let minor = UInt16(data[20]) << 8 | UInt16(data[21])
        return (Array(data[2..<18]), major, minor)
    }

    /// The Eddystone-UID that is advertised; nil for none. The form is that of Google's Eddystone specification:
    /// service 0xFEAA, frame type 0x00, the power at 0 m, a namespace of 10 bytes and an instance of 6. Two reserved
    /// bytes may follow.
    public var eddystoneUID: (namespace: [UInt8], instance: [UInt8])? {
        guard let data = serviceData["0000feaa-0000-1000-8000-00805f9b34fb"], [18, 20].contains(data.count),
            data[0] == 0x00
        else { return nil }
        return (Array(data[2..<12]), Array(data[12..<18]))
    }
}
