import Glibc

/// The clock that counts from the start of the machine, also while the machine sleeps.
package enum BootClock {
    /// The time since the start of the machine, milliseconds.
    package static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
