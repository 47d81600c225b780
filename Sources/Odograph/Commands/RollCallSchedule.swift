/// Decides when a vehicle answers a roll call. Times are milliseconds of the monotonic clock.
///
/// Thousands of vehicles get the same command at once, so each waits a random time. Roll calls that come meanwhile need
/// no answer of their own: the one that is planned reaches all clients.
struct RollCallSchedule: Hashable, Sendable {
    /// The longest random delay of an answer.
    static let longestDelayMilliseconds: Int64 = 5000
    /// The shortest time between two answers. A client that connects just after an answer gets the next one within this
    /// time, because not every broker gives it the retained messages of the last one.
    static let intervalMilliseconds: Int64 = 8000

    private var dueUptimeMilliseconds: Int64?
    private var lastUptimeMilliseconds: Int64?

    /// Notes a roll call.
    /// - Parameter delay: A random delay, 0 to ``longestDelayMilliseconds``.
    /// - Returns: When to answer; nil if an answer is planned already.
    mutating func ask(atUptimeMilliseconds now: Int64, delayMilliseconds delay: Int64) -> Int64? {
        guard dueUptimeMilliseconds == nil else { return nil }
        let due = max(now + delay, lastUptimeMilliseconds.map { $0 + Self.intervalMilliseconds } ?? now)
        dueUptimeMilliseconds = due
        return due
    }

    /// Notes that the answer is given now.
    mutating func answer(atUptimeMilliseconds now: Int64) {
        dueUptimeMilliseconds = nil
        lastUptimeMilliseconds = now
    }
}
