import CivilTime

/// Puts a date right that a receiver's ten-bit week counter put 1024 weeks (19.6 years) too early.
///
/// The counter of the civil GPS signal has 1024 weeks (IS-GPS-200, 20.3.3.3.1.1) and began anew in August 1999 and in
/// April 2019; a receiver whose firmware assumes a bygone round reports a date that is one or two rounds early.
enum WeekRollover {
    private static let roundMilliseconds: Int64 = 1024 * 7 * 86_400_000
    private static let dayMilliseconds: Int64 = 86_400_000

    /// - Parameters:
    ///   - time: The receiver's time.
    ///   - earliest: No true time is before it; nil to take every time as it is.
    ///   - now: The machine's clocks, whose word counts where they are trusted.
    /// - Returns: The time one or two rounds later where only that makes it plausible; else the time itself.
    static func corrected(_ time: Timestamp, earliest: Timestamp?, now: Moment) -> Timestamp {
        guard let earliest, time < earliest else { return time }
        for rounds: Int64 in 1...2 {
            let candidate = time.advanced(byMilliseconds: rounds * roundMilliseconds)
            guard candidate >= earliest else { continue }
            let isInFuture = candidate > now.systemTime.advanced(byMilliseconds: dayMilliseconds)
            return now.isSystemTimeTrusted && isInFuture ? time : candidate
        }
        return time
    }
}
