import OdographSettings

/// The current boot of the machine.
enum Boot {
    /// The kernel's identifier of the boot, see random(4). nil if the kernel provides none.
    static let id = try? FileReader.firstLine(of: "/proc/sys/kernel/random/boot_id", atMost: 64).get()
}
