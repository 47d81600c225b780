/// The run of the machine that this process is in.
enum Boot {
    /// The kernel's name for it, see random(4); nil where it tells none.
    static let id = try? FileReader.firstLine(of: "/proc/sys/kernel/random/boot_id", atMost: 64).get()
}
