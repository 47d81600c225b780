import OdographCivilTime
import OdographModel

/// Provides the time from the receiver, and between its fixes from the monotonic clock.
///
/// The machine's own clock may be wrong until it is synchronised, so it only counts before the first fix and for the
/// delay of reports.
struct TrackerClock: Equatable, Sendable, Codable {
    /// The receiver's time minus uptime, milliseconds; nil before the first fix of this boot.
    private var offsetMilliseconds: Int64?
    /// The same from other evidence in this boot: the machine's clock while it was trusted, or a receiver whose fixes
    /// agreed. It is kept: the monotonic clock continues from it after the machine loses its time server.
    private var settledMilliseconds: Int64?
    /// The time of the last fix, also of an earlier boot.
    private var lastKnown: Timestamp?
    /// The uptime at the agent's first start in this boot, milliseconds.
    private var firstUptimeMilliseconds: Int64?
    /// The largest change of the offset that delayed reports explain, milliseconds; a larger one is a step of a clock.
    private static let stepMilliseconds: Int64 = 2000

    /// Adopts the time of an accepted fix.
    mutating func observe(_ fix: Fix) {
        lastKnown = fix.timestamp
        let candidate = fix.timestamp.millisecondsSinceEpoch - fix.received.uptimeMilliseconds
        guard let offset = offsetMilliseconds, abs(candidate - offset) <= Self.stepMilliseconds else {
            offsetMilliseconds = candidate
            return
        }
        // Reports can be late but never early, so the largest offset is the best. It decreases by 1 ms a fix, so that
        // it also follows an oscillator of the machine that runs fast.
        offsetMilliseconds = max(offset - 1, candidate)
    }

    /// Notes the machine's time while it is trusted.
    mutating func observe(_ moment: ClockReading) {
        guard moment.isSystemTimeTrusted else { return }
        settledMilliseconds = moment.systemTime.millisecondsSinceEpoch - moment.uptimeMilliseconds
    }

    /// Adopts the offset on which the receiver's fixes agree.
    /// - Parameter offset: time minus uptime, milliseconds.
    mutating func setOffset(milliseconds offset: Int64) {
        settledMilliseconds = offset
    }

    /// Forgets the offsets: the monotonic clock has restarted.
    mutating func handleRestart(at moment: ClockReading) {
        offsetMilliseconds = nil
        settledMilliseconds = nil
        firstUptimeMilliseconds = moment.uptimeMilliseconds
    }

    /// Returns the time of a clock reading: from the receiver, else from the machine. If neither is known, it is the
    /// time of the last fix plus the uptime of this boot, so that a wrong clock makes nothing due.
    func time(of moment: ClockReading) -> Timestamp {
        if let offset = offsetMilliseconds {
            return Timestamp(millisecondsSinceEpoch: moment.uptimeMilliseconds + offset)
        }
        if moment.isSystemTimeTrusted { return moment.systemTime }
        if let settled = settledMilliseconds {
            return Timestamp(millisecondsSinceEpoch: moment.uptimeMilliseconds + settled)
        }
        guard let lastKnown, let first = firstUptimeMilliseconds else { return moment.systemTime }
        return lastKnown.advanced(byMilliseconds: max(moment.uptimeMilliseconds - first, 0))
    }

    /// Whether the time of a clock reading is known from trusted evidence of this boot. If not, ``time(of:)`` is a
    /// lower bound.
    func isTimeKnown(at moment: ClockReading) -> Bool {
        offsetMilliseconds != nil || settledMilliseconds != nil || moment.isSystemTimeTrusted
    }

    /// Returns the age of a fix at a clock reading, milliseconds, ≥ 0.
    ///
    /// - Parameter maximumAgeSeconds: the largest difference from the receiver's time at which the machine's clock is
    ///   used, seconds; beyond it the machine's clock was set wrong.
    func ageMilliseconds(of fix: Fix, at moment: ClockReading, maximumAgeSeconds: Double) -> Int64 {
        let told = time(of: moment)
        let isMachineRight =
            moment.isSystemTimeTrusted && abs(moment.systemTime.seconds(since: told)) <= maximumAgeSeconds
        let now = isMachineRight ? moment.systemTime : told
        return max(now.millisecondsSinceEpoch - fix.timestamp.millisecondsSinceEpoch, 0)
    }
}
