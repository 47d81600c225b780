import CivilTime

/// Puts a date right that a count of weeks put rounds of 1024 weeks (19.6 years) too early or too late.
///
/// The counter of the civil GPS signal has 1024 weeks (IS-GPS-200, 20.3.3.3.1.1) and began anew in August 1999 and in
/// April 2019; a receiver whose firmware assumes a bygone round reports a date that is one or two rounds early, and one
/// that takes a step back of the weeks for the beginning of a round a date that is a round late.
enum WeekRollover {
    private static let rolloverPeriodMilliseconds: Int64 = 1024 * 7 * 86_400_000
    private static let dayMilliseconds: Int64 = 86_400_000

    /// - Parameters:
    ///   - time: The receiver's time.
    ///   - earliest: No true time is before it, and none a round or more after it unless the machine's clock says so; nil
    ///     to take every time as it is.
    ///   - now: The machine's clocks, whose word counts where they are trusted.
    /// - Returns: The time some rounds later or earlier where only that makes it plausible; else the time itself.
    static func corrected(_ time: Timestamp, earliest: Timestamp?, now: ClockReading) -> Timestamp {
        guard let earliest else { return time }
        let latest = earliest.advanced(byMilliseconds: rolloverPeriodMilliseconds)
        guard time < earliest || time >= latest else { return time }
        // The agent has grown that old.
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
