/// The sentences about a BlueZ that does not work.
enum BlueZProblem {
    /// Returns the sentence about a failure: the reason, and what to do.
    static func text(for failure: SystemBus.Failure, adapter: String) -> String {
        switch failure.name ?? "" {
        case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
            "bluetoothd does not run; install the package bluez, and start bluetooth.service"
        case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod",
            "org.freedesktop.DBus.Error.UnknownInterface":
            "there is no Bluetooth adapter \(adapter); bluetoothctl list shows those that exist; "
                + "check vehicle.bluetooth.adapter"
        case "org.freedesktop.DBus.Error.AccessDenied", "org.bluez.Error.NotAuthorized":
            "D-Bus does not let this user use BlueZ; add it to the group bluetooth (SupplementaryGroups=bluetooth)"
        case "org.bluez.Error.NotReady":
            "the Bluetooth adapter \(adapter) is off; run bluetoothctl power on, or rfkill unblock bluetooth"
        case let name: name.isEmpty ? failure.reason : "\(failure.reason) (\(name))"
        }
    }
}
