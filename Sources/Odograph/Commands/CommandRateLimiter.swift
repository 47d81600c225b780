/// Bounds how often commands are done, and how often it is said that one is not.
///
/// Commands are an operator's or a program's; more than this is a mistake or an attack, over a link that may be metered.
struct CommandRateLimiter: Hashable, Sendable {
    /// How many are done at once.
    static let burst = 20
    /// How many are done a second until ``reserve`` is used up.
    static let perSecond = 5
    /// How many are done faster than ``perHour`` lets them.
    static let reserve = 200
    /// How many are done an hour in the long run.
    static let perHour = 1800
    /// The time between two answers that say that a command is refused, milliseconds.
    static let noticeIntervalMilliseconds: Int64 = 60_000

    private var shortTermBucket = TokenBucket(capacity: Double(burst), perSecond: Double(perSecond))
    private var longTermBucket = TokenBucket(capacity: Double(reserve), perSecond: Double(perHour) / 3600)
    private var refusedCount = 0
    private var noticedUptimeMilliseconds: Int64?

    /// - Returns: whether a command may be done now; then it counts as done.
    mutating func admit(atUptimeMilliseconds now: Int64) -> Bool {
        let wait = max(
            shortTermBucket.waitMilliseconds(atUptimeMilliseconds: now),
            longTermBucket.waitMilliseconds(atUptimeMilliseconds: now))
        guard wait == 0 else { return false }
        return shortTermBucket.take(atUptimeMilliseconds: now) && longTermBucket.take(atUptimeMilliseconds: now)
    }

    /// Commands were refused, or dropped unread.
    mutating func addRefused(_ count: Int) { refusedCount += count }

    /// Whether it may be said that commands are refused.
    func isNoticeDue(atUptimeMilliseconds now: Int64) -> Bool {
        noticedUptimeMilliseconds.map { now - $0 >= Self.noticeIntervalMilliseconds } ?? true
    }

    /// It is said that commands are refused.
    /// - Returns: how many were refused since it was said before.
    mutating func takeRefusedCount(atUptimeMilliseconds now: Int64) -> Int {
        noticedUptimeMilliseconds = now
        defer { refusedCount = 0 }
        return refusedCount
    }
}
