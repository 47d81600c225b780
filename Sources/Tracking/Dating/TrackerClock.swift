import CivilTime

/// Tells the time by the receiver, and between its fixes by the monotonic clock.
///
/// The machine's own clock may be wrong until somebody sets it; it is asked only until the receiver has spoken.
struct TrackerClock: Equatable, Sendable, Codable {
    /// Receiver time minus uptime, milliseconds; nil before the first fix of this boot.
    private var offsetMilliseconds: Int64?
    /// The same by whoever else told the time in this boot: the machine's clock while it was trusted, or a receiver whose
    /// fixes agreed on it. Once told it holds on: a machine that loses its server still counts.
    private var settledMilliseconds: Int64?
    /// The time of the last fix, whatever boot it was of.
    private var lastKnown: Timestamp?
    /// What the monotonic clock said when this boot was first heard of.
    private var firstUptimeMilliseconds: Int64?
    /// A difference beyond this is a step of one of the clocks, not the way of a report through the machine.
    private static let stepMilliseconds: Int64 = 2000

    /// A fix was believed: its time is the time.
    mutating func observe(_ fix: Fix) {
        lastKnown = fix.timestamp
        let candidate = fix.timestamp.millisecondsSinceEpoch - fix.received.uptimeMilliseconds
        guard let offset = offsetMilliseconds, abs(candidate - offset) <= Self.stepMilliseconds else {
            offsetMilliseconds = candidate
            return
        }
        // A report comes late and never early, so the largest difference is the best one; it is let sink by a part
        // in a thousand of a second a fix, so that the drift of the machine's oscillator is followed downwards too.
        offsetMilliseconds = max(offset - 1, candidate)
    }

    /// Remembers what the machine says of the time while it is trusted.
    mutating func observe(_ moment: ClockReading) {
        guard moment.isSystemTimeTrusted else { return }
        settledMilliseconds = moment.systemTime.millisecondsSinceEpoch - moment.uptimeMilliseconds
    }

    /// The receiver's fixes agree on the time.
    /// - Parameter offset: time minus uptime, milliseconds.
    mutating func setOffset(milliseconds offset: Int64) {
        settledMilliseconds = offset
    }

    /// The monotonic clock began anew.
    mutating func handleRestart(at moment: ClockReading) {
        offsetMilliseconds = nil
        settledMilliseconds = nil
        firstUptimeMilliseconds = moment.uptimeMilliseconds
    }

    /// The time of a moment: by the receiver where it has spoken, else by the machine. Where nobody can be trusted, no
    /// more time than this boot's has passed since the last fix: nothing falls due by a clock that is wrong.
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

    /// Whether the time of a moment is known: somebody who can be believed has told it since the machine's start.
    /// Otherwise ``checkedTimestamp(of:)`` is only the earliest that it can be.
    func isTimeKnown(at moment: ClockReading) -> Bool {
        offsetMilliseconds != nil || settledMilliseconds != nil || moment.isSystemTimeTrusted
    }

    /// How old a fix was when the agent had it, or says it again, milliseconds, ≥ 0.
    ///
    /// - Parameter maximumAgeSeconds: the machine's clock measures the delay of a report, unless it is farther than this
    ///   from the receiver's time: then somebody has set it wrong.
    func ageMilliseconds(of fix: Fix, at moment: ClockReading, maximumAgeSeconds: Double) -> Int64 {
        let told = time(of: moment)
        let isMachineRight =
            moment.isSystemTimeTrusted && abs(moment.systemTime.seconds(since: told)) <= maximumAgeSeconds
        let now = isMachineRight ? moment.systemTime : told
        return max(now.millisecondsSinceEpoch - fix.timestamp.millisecondsSinceEpoch, 0)
    }
}
