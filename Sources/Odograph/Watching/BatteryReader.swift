import OdographModel
import OdographSettings
import OdographTracking

/// Reads the battery state from the kernel's power supplies.
///
/// Source: the kernel's Documentation/ABI/testing/sysfs-class-power.
struct BatteryReader: Sendable {
    /// The folder with one entry for each supply.
    var folder = "/sys/class/power_supply"

    /// Returns the state of the first battery that powers the machine itself. nil if there is none.
    func battery() -> Battery? {
        let names = FileReader.entryNames(in: folder).sorted()
        for name in names where read(name, "type") == "Battery" && read(name, "scope") != "Device" {
            guard let level = level(of: name) else { continue }
            let status = read(name, "status")
            return Battery(
                level: level, isCharging: status == "Charging" || status == "Full" || status == "Not charging")
        }
        return nil
    }

    private func level(of name: String) -> Double? {
        if let percent = read(name, "capacity").flatMap({ Double($0) }) {
            return ValidRange.charge.clamped(percent / 100)
        }
        for kind in ["energy", "charge"] {
            guard let now = read(name, "\(kind)_now").flatMap({ Double($0) }),
                let full = read(name, "\(kind)_full").flatMap({ Double($0) }), full > 0,
                let level = ValidRange.charge.clamped(now / full)
            else { continue }
            return level
        }
        return nil
    }

    private func read(_ name: String, _ attribute: String) -> String? {
        try? FileReader.firstLine(of: "\(folder)/\(name)/\(attribute)", atMost: 256).get()
    }
}
