import Glibc

/// A D-Bus of a test with the template of BlueZ in python3-dbusmock, and devices that advertise.
public struct BluetoothBus: Sendable {
    private static let devices = Corpora.projectRoot + "/Tests/Bluetooth/beacon.py"

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

    /// Starts BlueZ, without an adapter, and waits until it has its name on the bus.
    public func bluez() async throws -> ChildProcess {
        let bluez = try python(["-m", "dbusmock", "--template", "bluez5"])
        let question = [
            "--bus=" + address, "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
            "org.freedesktop.DBus.GetNameOwner", "string:org.bluez",
        ]
        let isThere = try await eventually {
            try await ChildProcess.run("dbus-send", question).ending == .exited(0) ? true : nil
        }
        guard isThere != nil else { throw HarnessError("BlueZ is not on the bus: \(bluez.errors)") }
        return bluez
    }

    /// Adds the adapter hci0 to BlueZ.
    public func addAdapter() throws -> ChildProcess { try python([Self.devices, "adapter"]) }

    /// Starts a device with an address that advertises as an iBeacon: UUID 00010203-0405-0607-0809-0a0b0c0d0e0f, major
    /// 1, minor 7, at −72 to −70 dBm.
    public func advertise(_ address: String) throws -> ChildProcess {
        try python([Self.devices, "send", address])
    }

    /// Starts a program of Python with this bus as the system bus. Debian installs the modules for its own Python.
    private func python(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/python3", arguments,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": address])
    }
}
