import OdographThreads

/// Limits the rate of executed commands, and of answers that a command was refused.
///
/// Commands come from operators or programs. A higher rate is a mistake or an attack, over a link that may be metered.
struct CommandRateLimiter: Hashable, Sendable {
    /// The number of commands at once.
    static let burst = 20
    /// The number of commands per second until ``reserve`` is used up.
    static let perSecond = 5
    /// The number of commands that may exceed the rate ``perHour``.
    static let reserve = 200
    /// The number of commands per hour in the long term.
    static let perHour = 1800
    /// The minimum time between two answers that commands were refused, milliseconds.
    static let noticeIntervalMilliseconds: Int64 = 60_000

    private var shortTermBucket = TokenBucket(capacity: Double(burst), perSecond: Double(perSecond))
    private var longTermBucket = TokenBucket(capacity: Double(reserve), perSecond: Double(perHour) / 3600)
    private var refusedCount = 0
    private var noticedUptimeMilliseconds: Int64?

    /// - Returns: Whether a command may be executed now. If so, it is counted.
    mutating func admit(atUptimeMilliseconds now: Int64) -> Bool {
        let wait = max(
            shortTermBucket.waitMilliseconds(atUptimeMilliseconds: now),
            longTermBucket.waitMilliseconds(atUptimeMilliseconds: now))
        guard wait == 0 else { return false }
        return shortTermBucket.take(atUptimeMilliseconds: now) && longTermBucket.take(atUptimeMilliseconds: now)
    }

    /// Counts commands that were refused, or dropped unread.
    mutating func addRefused(_ count: Int) { refusedCount += count }

    /// Returns whether an answer about refused commands may be sent.
    func isNoticeDue(atUptimeMilliseconds now: Int64) -> Bool {
        noticedUptimeMilliseconds.map { now - $0 >= Self.noticeIntervalMilliseconds } ?? true
    }

    /// Notes that an answer about refused commands is sent.
    /// - Returns: The number of refused commands since the last such answer.
    mutating func takeRefusedCount(atUptimeMilliseconds now: Int64) -> Int {
        noticedUptimeMilliseconds = now
        defer { refusedCount = 0 }
        return refusedCount
    }
}
