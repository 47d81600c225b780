"""Devices for the template of BlueZ in python3-dbusmock, on the system bus.

Usage: beacon.py adapter        adds the adapter hci0, and ends
       beacon.py send ADDRESS   advertises as an iBeacon until it is killed: UUID 00010203-0405-0607-0809-0a0b0c0d0e0f,
                                major 1, minor 7, at -72 to -70 dBm; before each advertisement come properties of wrong types
"""

import sys
import time

import dbus

bus = dbus.SystemBus()
root = dbus.Interface(bus.get_object("org.bluez", "/"), "org.bluez.Mock")
if sys.argv[1] == "adapter":
    root.AddAdapter("hci0", "test")
    sys.exit(0)
address = sys.argv[2]
path = root.AddDevice("hci0", address, "Some device")
device = dbus.Interface(bus.get_object("org.bluez", path), "org.freedesktop.DBus.Mock")
data = dbus.Array([2, 21, *range(16), 0, 1, 0, 7, 197], signature="y")
properties = dbus.Dictionary(
    {
        "Address": address, "RSSI": dbus.Int16(-70),
        "ManufacturerData": dbus.Dictionary({dbus.UInt16(0x4C): data}, signature="qv"),
    }, signature="sv")
objects = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.Mock")
objects.EmitSignal(
    "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", "oa{sa{sv}}",
    [dbus.ObjectPath(path), dbus.Dictionary({"org.bluez.Device1": properties}, signature="sa{sv}")])
level = 0
while True:
    wrong = {"RSSI": "loud", "Name": dbus.UInt32(5), "ServiceData": "none"}
    device.UpdateProperties("org.bluez.Device1", dbus.Dictionary(wrong, signature="sv"))
    device.UpdateProperties("org.bluez.Device1", {"RSSI": dbus.Int16(-70 - level % 3)})
    level += 1
    time.sleep(0.3)
