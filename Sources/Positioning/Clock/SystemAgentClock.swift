import OdographCivilTime
import Glibc
import OdographModel
import OdographThreads

/// The machine's clocks: `CLOCK_REALTIME`, `CLOCK_BOOTTIME`, and the kernel's flag for a synchronised `CLOCK_REALTIME`.
public final class SystemAgentClock: AgentClock {
    /// The validity of the kernel's answer: it costs two system calls and changes a few times in a machine's life.
    private static let trustLastsMilliseconds: Int64 = 5000

    private struct Trust {
        var isTrusted: Bool
        var checkedAtUptimeMilliseconds: Int64
    }

    private let trust = Lock<Trust?>(nil)

    /// Creates a clock.
    public init() {}

    /// Returns the current readings. The kernel is asked for the trust in the system clock at most every 5 s.
    public func now() -> ClockReading {
        let uptime = Self.milliseconds(of: CLOCK_BOOTTIME)
        return ClockReading(
            systemTime: Timestamp(millisecondsSinceEpoch: Self.milliseconds(of: CLOCK_REALTIME)),
            uptimeMilliseconds: uptime,
            isSystemTimeTrusted: isTrusted(atUptime: uptime))
    }

    /// Sleeps on the monotonic clock, which includes the time of a suspended machine.
    public func sleep(untilUptimeMilliseconds uptimeMilliseconds: Int64) async throws {
        // The task's clock may stop while the machine is suspended, so the time is checked after each sleep.
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
            let isTrusted = SystemClock.isSynchronized
            known = Trust(isTrusted: isTrusted, checkedAtUptimeMilliseconds: uptime)
            return isTrusted
        }
    }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var reading = timespec()
        clock_gettime(clock, &reading)
        return Int64(reading.tv_sec) * 1000 + Int64(reading.tv_nsec) / 1_000_000
    }
}
