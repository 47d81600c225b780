import Glibc

/// A D-Bus of a test with the template of BlueZ in python3-dbusmock, and devices that advertise.
public struct BluetoothBus: Sendable {
    /// Advertises as an iBeacon until it is killed. Before each advertisement it sends properties of wrong types.
    private static let sender = """
        import sys, time, dbus
        mode, address = sys.argv[1], sys.argv[2]
        bus = dbus.SystemBus()
        root = dbus.Interface(bus.get_object('org.bluez', '/'), 'org.bluez.Mock')
        if mode == 'adapter':
            root.AddAdapter('hci0', 'test')
            sys.exit(0)
        path = root.AddDevice('hci0', address, 'Some device')
        device = dbus.Interface(bus.get_object('org.bluez', path), 'org.freedesktop.DBus.Mock')
        data = dbus.Array([2, 21] + list(range(16)) + [0, 1, 0, 7, 197], signature='y')
        objects = dbus.Interface(bus.get_object('org.bluez', '/'), 'org.freedesktop.DBus.Mock')
        objects.EmitSignal('org.freedesktop.DBus.ObjectManager', 'InterfacesAdded', 'oa{sa{sv}}', [
            dbus.ObjectPath(path),
            dbus.Dictionary({'org.bluez.Device1': dbus.Dictionary({'Address': address, 'RSSI': dbus.Int16(-70),
                'ManufacturerData': dbus.Dictionary({dbus.UInt16(0x4C): data}, signature='qv')},
                signature='sv')}, signature='sa{sv}')])
        level = 0
        while True:
            device.UpdateProperties('org.bluez.Device1', dbus.Dictionary({'RSSI': 'loud',
                'Name': dbus.UInt32(5), 'ServiceData': 'none'}, signature='sv'))
            device.UpdateProperties('org.bluez.Device1', {'RSSI': dbus.Int16(-70 - level % 3)})
            level += 1
            time.sleep(0.3)
        """

    private let folder: TemporaryFolder
    private let daemon: ChildProcess

    /// The address of the bus.
    public var address: String { "unix:path=\(folder.file("bus"))" }

    /// Starts a bus without BlueZ.
    public init() async throws {
        folder = try TemporaryFolder()
        let path = folder.file("bus")
        daemon = try ChildProcess("dbus-daemon", ["--session", "--nofork", "--address=unix:path=\(path)"])
        guard try await eventually({ access(path, F_OK) == 0 ? true : nil }) != nil else {
            throw HarnessError("dbus-daemon does not listen: \(daemon.errors)")
        }
    }

    /// Starts BlueZ, without an adapter.
    public func bluez() throws -> ChildProcess { try python(["-m", "dbusmock", "--template", "bluez5"]) }

    /// Adds the adapter hci0 to BlueZ.
    public func addAdapter() throws -> ChildProcess { try python(["-c", Self.sender, "adapter", ""]) }

    /// Starts a device with an address that advertises as an iBeacon: UUID 00010203-0405-0607-0809-0a0b0c0d0e0f, major
    /// 1, minor 7, at −72 to −70 dBm.
    public func advertise(_ address: String) throws -> ChildProcess {
        try python(["-c", Self.sender, "send", address])
    }

    /// Starts a program of Python with this bus as the system bus. Debian installs the modules for its own Python.
    private func python(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/python3", arguments,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": address])
    }
}
