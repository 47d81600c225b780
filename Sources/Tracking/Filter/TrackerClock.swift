import CivilTime

/// Tells the time by the receiver, and between its fixes by the monotonic clock.
///
/// The machine's own clock may be wrong until somebody sets it; it is asked only until the receiver has spoken.
struct TrackerClock: Hashable, Sendable, Codable {
    /// Receiver time minus uptime, milliseconds; nil before the first fix of this boot.
    private var offsetMilliseconds: Int64?
    /// A difference beyond this is a step of one of the clocks, not the way of a report through the machine.
    private static let stepMilliseconds: Int64 = 2000

    /// A fix was believed: its time is the time.
    mutating func observe(_ fix: Fix) {
        let candidate = fix.timestamp.millisecondsSinceEpoch - fix.received.uptimeMilliseconds
        guard let offset = offsetMilliseconds, abs(candidate - offset) <= Self.stepMilliseconds else {
            offsetMilliseconds = candidate
            return
        }
        // A report comes late and never early, so the largest difference is the best one; it is let sink by a part
        // in a thousand of a second a fix, so that the drift of the machine's oscillator is followed downwards too.
        offsetMilliseconds = max(offset - 1, candidate)
    }

    /// The monotonic clock began anew.
    mutating func restarted() {
        offsetMilliseconds = nil
    }

    /// The time of a moment: by the receiver where it has spoken, else by the machine.
    func time(of moment: Moment) -> Timestamp {
        guard let offset = offsetMilliseconds else { return moment.systemTime }
        return Timestamp(millisecondsSinceEpoch: moment.uptimeMilliseconds + offset)
    }

    /// How old a fix was when the agent had it, or says it again, milliseconds, ≥ 0.
    func ageMilliseconds(of fix: Fix, at moment: Moment) -> Int64 {
        let now = moment.isSystemTimeTrusted ? moment.systemTime : time(of: moment)
        return max(now.millisecondsSinceEpoch - fix.timestamp.millisecondsSinceEpoch, 0)
    }
}
