import CTimex
import CivilTime
import Glibc
import Threads

/// The machine's clocks: `CLOCK_REALTIME`, `CLOCK_BOOTTIME`, and the kernel's word on whether the first is synchronised.
public final class SystemAgentClock: AgentClock {
    /// Asking the kernel costs two system calls, and the answer changes a few times in a machine's life.
    private static let trustLastsMilliseconds: Int64 = 5000

    private struct Trust {
        var isTrusted: Bool
        var checkedAtUptimeMilliseconds: Int64
    }

    private let trust = Lock<Trust?>(nil)

    /// A clock that reads the machine's.
    public init() {}

    /// The clocks as they are now; whether the first is trusted is asked at most every 5 s.
    public func now() -> ClockReading {
        let uptime = Self.milliseconds(of: CLOCK_BOOTTIME)
        return ClockReading(
            systemTime: Timestamp(millisecondsSinceEpoch: Self.milliseconds(of: CLOCK_REALTIME)),
            uptimeMilliseconds: uptime,
            isSystemTimeTrusted: isTrusted(atUptime: uptime))
    }

    /// Sleeps on the monotonic clock, time that the machine is suspended included.
    public func sleep(untilUptimeMilliseconds uptimeMilliseconds: Int64) async throws {
        // Looked at again after each sleep: the task's clock need not be the one that counts a suspended machine's time.
        while true {
            let remaining = uptimeMilliseconds - Self.milliseconds(of: CLOCK_BOOTTIME)
            guard remaining > 0 else { return }
            try await Task.sleep(for: .milliseconds(min(remaining, 60_000)))
        }
    }

    private func isTrusted(atUptime uptime: Int64) -> Bool {
        trust.withLock { known in
            if let known, uptime - known.checkedAtUptimeMilliseconds < Self.trustLastsMilliseconds {
                return known.isTrusted
            }
            let isTrusted = Self.isSynchronized()
            known = Trust(isTrusted: isTrusted, checkedAtUptimeMilliseconds: uptime)
            return isTrusted
        }
    }

    /// The kernel answers `TIME_ERROR` while nobody disciplines its clock, see adjtimex(2); systemd-timesyncd
    /// leaves a file once it has set the clock, see systemd-timesyncd.service(8).
    private static func isSynchronized() -> Bool {
        var request = timex()
        let state = adjtimex(&request)
        if state >= 0, state != TIME_ERROR { return true }
        return access("/run/systemd/timesync/synchronized", F_OK) == 0
    }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var reading = timespec()
        clock_gettime(clock, &reading)
        return Int64(reading.tv_sec) * 1000 + Int64(reading.tv_nsec) / 1_000_000
    }
}
