import OdographBeacons

/// The properties of a device in BlueZ: the interface `org.bluez.Device1`.
struct BlueZDevice {
    /// The longest name that is used, bytes: the longest one of an advertisement.
    private static let longestName = 248
    /// The longest data of a manufacturer or a service, bytes: an advertisement has at most 255 in a part.
    private static let longestData = 255
    /// The longest identifier of a service, bytes: a UUID has 36.
    private static let longestService = 64
    /// The most entries of manufacturers and services that are kept.
    private static let maximumEntries = 32

    /// All that the device has advertised.
    var advertisement = Advertisement(address: "")

    /// Reads changed properties of a device.
    /// - Returns: The level, dBm, if an advertisement was received; nil otherwise.
    mutating func update(from message: BusMessage) -> Int? {
        var level: Int?
        message.dictionary("sv") {
            guard let name = message.text() else { return false }
            switch name {
            case "Address": if let text = message.variant("s", { message.text() }) { advertisement.address = text }
            case "Name":
                if let text = message.variant("s", { message.text() }) {
                    advertisement.name = Self.shortened(text)
                }
            case "RSSI": level = message.variant("n", { message.int16() }).map(Int.init) ?? level
            case "ManufacturerData": readManufacturerData(message)
            case "ServiceData": readServiceData(message)
            default: message.skip("v")
            }
            return true
        }
        return level
    }

    /// Returns the beginning of a name, without a part of a character. A character can have any number of bytes.
    static func shortened(_ name: String) -> String {
        guard name.utf8.count > longestName else { return name }
        let ends = (0..<4).lazy.map { String(name.utf8.prefix(longestName - $0)) }
        return ends.first { $0 != nil }.flatMap { $0 } ?? ""
    }

    private static func shortened(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.prefix(longestData)) }

    private mutating func readManufacturerData(_ message: BusMessage) {
        var entries: [UInt16: [UInt8]] = [:]
        let isRead = message.container("v", "a{qv}") {
            message.dictionary("qv") {
                guard let company = message.uint16() else { return false }
                let bytes = message.variant("ay") { message.bytes() }
                if entries.count < Self.maximumEntries { entries[company] = bytes.map(Self.shortened) }
                return true
            }
        }
        if isRead { advertisement.manufacturerData = entries } else { message.skip("v") }
    }

    private mutating func readServiceData(_ message: BusMessage) {
        var entries: [String: [UInt8]] = [:]
        let isRead = message.container("v", "a{sv}") {
            message.dictionary("sv") {
                guard let service = message.text() else { return false }
                let bytes = message.variant("ay") { message.bytes() }
                if entries.count < Self.maximumEntries, service.utf8.count <= Self.longestService {
                    entries[service.lowercased()] = bytes.map(Self.shortened)
                }
                return true
            }
        }
        if isRead { advertisement.serviceData = entries } else { message.skip("v") }
    }
}
