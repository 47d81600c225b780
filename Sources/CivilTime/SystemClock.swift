import COdographTimex
import Glibc

/// The machine's clock of the date and the time.
package enum SystemClock {
    /// Whether the clock is synchronised. The kernel returns `TIME_ERROR` while its clock is not disciplined, see
    /// adjtimex(2). systemd-timesyncd creates a file when it has set the clock, see systemd-timesyncd.service(8).
    ///
    /// The answer costs up to two system calls.
    package static var isSynchronized: Bool {
        var request = timex()
        let state = adjtimex(&request)
        if state >= 0, state != TIME_ERROR { return true }
        return access("/run/systemd/timesync/synchronized", F_OK) == 0
    }
}
