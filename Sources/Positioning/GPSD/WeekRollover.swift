import OdographCivilTime
import OdographModel

/// Corrects dates that are wrong by periods of 1024 weeks (19.6 years).
///
/// The week counter of the civil GPS signal has 1024 values (IS-GPS-200, 20.3.3.3.1.1). It restarted in August 1999 and
/// in April 2019. A receiver whose firmware assumes an earlier period reports a date one or two periods too early. A
/// receiver that takes a backward step of the weeks for a new period reports a date one period too late.
enum WeekRollover {
    private static let rolloverPeriodMilliseconds: Int64 = 1024 * 7 * 86_400_000
    private static let dayMilliseconds: Int64 = 86_400_000

    /// Returns a date moved by whole periods if only that makes it plausible; otherwise the date itself.
    /// - Parameters:
    ///   - time: The receiver's time.
    ///   - earliest: The lower limit of true dates. True dates are less than one period later, unless the trusted
    ///     system clock shows a later date. Nil to accept every date.
    ///   - now: The machine's clocks. The system clock is used only if it is trusted.
    static func corrected(_ time: Timestamp, earliest: Timestamp?, now: ClockReading) -> Timestamp {
        guard let earliest else { return time }
        let latest = earliest.advanced(byMilliseconds: rolloverPeriodMilliseconds)
        guard time < earliest || time >= latest else { return time }
        // The agent has been in use for more than a period.
        if time >= latest, now.isSystemTimeTrusted, !isFuture(time, at: now) { return time }
        for rounds: Int64 in [-1, 1, 2] {
            let candidate = time.advanced(byMilliseconds: rounds * rolloverPeriodMilliseconds)
            guard candidate >= earliest, candidate < latest else { continue }
            return now.isSystemTimeTrusted && isFuture(candidate, at: now) ? time : candidate
        }
        return time
    }

    private static func isFuture(_ time: Timestamp, at now: ClockReading) -> Bool {
        time > now.systemTime.advanced(byMilliseconds: dayMilliseconds)
    }
}
