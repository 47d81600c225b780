import OdographBeacons
import OdographModel

/// One discovery of BlueZ, from its start to the first failure.
struct BlueZScan {
    private static let service = "org.bluez"
    private static let adapterInterface = "org.bluez.Adapter1"
    private static let deviceInterface = "org.bluez.Device1"
    /// The pause after signals, milliseconds. So the thread wakes up twice a second at most.
    private static let pauseMilliseconds: Int64 = 500
    /// The time after which all devices are read again, milliseconds: the name of a device can follow later.
    private static let listMilliseconds: Int64 = 30_000
    /// The most devices that are observed. A hostile sender can imitate a named beacon with many addresses.
    private static let maximumDevices = 256
    /// The most messages that are read before the other work is done.
    private static let maximumMessagesPerTurn = 1000

    private struct Observed {
        var device: BlueZDevice
        var identifiers: [String]
        var level: Int?
    }

    private let adapterPath: String
    private let rule: BeaconRule
    private var observed: [String: Observed] = [:]

    init(adapter: String, rule: BeaconRule) {
        adapterPath = "/org/bluez/\(adapter)"
        self.rule = rule
    }

    mutating func run(
        on bus: borrowing SystemBus, _ presence: inout BeaconPresence, _ loop: SourceLoop,
        _ emit: (BeaconSourceEvent) -> Void
    ) throws(SystemBus.Failure) {
        try start(on: bus)
        presence.resume(at: loop.now.uptimeMilliseconds)
        emit(.available)
        var listDue = loop.now.uptimeMilliseconds
        while !loop.isStopped {
            if loop.now.uptimeMilliseconds >= listDue {
                listDue = loop.now.uptimeMilliseconds + Self.listMilliseconds
                try list(on: bus)
            }
            try readMessages(of: bus, &presence, at: loop.now.uptimeMilliseconds, emit)
            for event in presence.advance(to: loop.now.uptimeMilliseconds) { emit(.change(event)) }
            let due = min(presence.dueUptimeMilliseconds ?? listDue, listDue)
            let isReady = loop.wait(for: bus.descriptor, untilUptimeMilliseconds: due)
            if isReady { loop.pause(milliseconds: Self.pauseMilliseconds) }
        }
    }

    /// Begins to listen, and starts the discovery. BlueZ ends it with the connection.
    private func start(on bus: borrowing SystemBus) throws(SystemBus.Failure) {
        for member in ["InterfacesAdded", "InterfacesRemoved"] {
            try bus.match(
                "type='signal',sender='\(Self.service)',interface='org.freedesktop.DBus.ObjectManager',"
                    + "member='\(member)'")
        }
        try bus.match(Self.propertyRule(of: adapterPath, interface: Self.adapterInterface))
        try bus.match(
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.service)'")
        let level = Int16(clamping: rule.minimumSignalDBm - BeaconPresence.exitMarginDecibels)
        try bus.call(Self.service, adapterPath, Self.adapterInterface, "SetDiscoveryFilter") { message in
            message.append(properties: [
                ("Transport", "s", { $0.append(text: "le") }), ("DuplicateData", "b", { $0.append(bool: true) }),
                ("RSSI", "n", { $0.append(int16: level) }),
            ])
        }
        do throws(SystemBus.Failure) {
            try bus.call(Self.service, adapterPath, Self.adapterInterface, "StartDiscovery")
        } catch {
            guard error.name == "org.bluez.Error.InProgress" else { throw error }
        }
    }

    private static func propertyRule(of path: String, interface: String) -> String {
        "type='signal',sender='\(service)',path='\(path)',interface='org.freedesktop.DBus.Properties',"
            + "member='PropertiesChanged',arg0='\(interface)'"
    }

    /// Reads the devices that BlueZ knows. It tells no reception: a known device may be out of range.
    private mutating func list(on bus: borrowing SystemBus) throws(SystemBus.Failure) {
        let reply = try bus.call(
            Self.service, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        guard let reply else { return }
        var found: [(path: String, device: BlueZDevice)] = []
        reply.dictionary("oa{sa{sv}}") {
            guard let path = reply.text("o") else { return false }
            // Others are not kept: there can be thousands, with names of any length.
            if let (device, _) = Self.device(in: reply),
                observed[path] != nil
                    || found.count < Self.maximumDevices && !rule.identifiers(of: device.advertisement).isEmpty
            {
                found.append((path, device))
            }
            return true
        }
        for (path, device) in found { try observe(path, device, on: bus) }
    }

    /// Reads the interfaces of an object; nil if it is no device.
    private static func device(in message: BusMessage) -> (device: BlueZDevice, level: Int?)? {
        var result: (BlueZDevice, Int?)?
        message.dictionary("sa{sv}") {
            guard let interface = message.text() else { return false }
            guard interface == deviceInterface else {
                message.skip("a{sv}")
                return true
            }
            var device = BlueZDevice()
            let level = device.update(from: message)
            result = (device, level)
            return true
        }
        return result
    }

    /// Subscribes to the signals of a device that belongs to a named beacon.
    private mutating func observe(
        _ path: String, _ device: BlueZDevice, on bus: borrowing SystemBus
    ) throws(SystemBus.Failure) {
        guard path.hasPrefix(adapterPath + "/") else { return }
        let identifiers = rule.identifiers(of: device.advertisement)
        if observed[path] != nil {
            observed[path]?.device = device
            observed[path]?.identifiers = identifiers
        } else if !identifiers.isEmpty, observed.count < Self.maximumDevices {
            try bus.match(Self.propertyRule(of: path, interface: Self.deviceInterface))
            observed[path] = Observed(device: device, identifiers: identifiers)
        }
    }

    // MARK: Signals

    private mutating func readMessages(
        of bus: borrowing SystemBus, _ presence: inout BeaconPresence, at uptime: Int64,
        _ emit: (BeaconSourceEvent) -> Void
    ) throws(SystemBus.Failure) {
        for _ in 0..<Self.maximumMessagesPerTurn {
            guard let message = try bus.nextMessage() else { return }
            var heard: (path: String, level: Int?)?
            switch message.member {
            case "InterfacesAdded":
                guard let path = message.text("o"), let (device, level) = Self.device(in: message) else { break }
                try observe(path, device, on: bus)
                if level != nil { heard = (path, level) }
            case "InterfacesRemoved":
                guard let path = message.text("o") else { break }
                guard path != adapterPath else {
                    throw SystemBus.Failure(name: "org.freedesktop.DBus.Error.UnknownObject", reason: "")
                }
                if observed.removeValue(forKey: path) != nil {
                    try bus.match(Self.propertyRule(of: path, interface: Self.deviceInterface), isAdded: false)
                }
            case "PropertiesChanged": heard = try properties(message)
            case "NameOwnerChanged":
                _ = message.text()
                let (_, new) = (message.text(), message.text())
                if new?.isEmpty != false {
                    throw SystemBus.Failure(name: "org.freedesktop.DBus.Error.ServiceUnknown", reason: "")
                }
            default: break
            }
            guard let heard, let known = observed[heard.path] else { continue }
            guard let level = heard.level ?? known.level else { continue }
            observed[heard.path]?.level = level
            for identifier in known.identifiers {
                if let event = presence.observe(identifier, signalDBm: level, at: uptime) { emit(.change(event)) }
            }
        }
    }

    /// Reads a change of properties.
    /// - Returns: The device that was received, and its level if that is new.
    private mutating func properties(
        _ message: BusMessage
    ) throws(SystemBus.Failure) -> (path: String, level: Int?)? {
        let path = message.path
        guard message.text() != nil else { return nil }
        if path == adapterPath {
            var isOff = false
            message.dictionary("sv") {
                guard let name = message.text() else { return false }
                guard name == "Powered" || name == "Discovering" else {
                    message.skip("v")
                    return true
                }
                if message.variant("b", { message.bool() }) == false { isOff = true }
                return true
            }
            if isOff { throw SystemBus.Failure(name: "org.bluez.Error.NotReady", reason: "") }
            return nil
        }
        guard var known = observed[path] else { return nil }
        let before = known.device.advertisement
        let level = known.device.update(from: message)
        if known.device.advertisement != before { known.identifiers = rule.identifiers(of: known.device.advertisement) }
        observed[path] = known
        // An advertisement with new data and the level of the one before has no level here.
        return level != nil || known.device.advertisement != before ? (path, level) : nil
    }
}
