/// Notices that records are given up because the database is full: when it begins, and again when it goes on after an
/// hour without.
struct GivingUpWatch {
    private static let pauseMilliseconds: Int64 = 3_600_000

    private var count = 0
    private var lastUptimeMilliseconds: Int64?

    /// - Parameter count: The number of records that were given up since the database was opened.
    /// - Returns: Whether it has begun.
    mutating func hasBegun(_ count: Int, uptimeMilliseconds now: Int64) -> Bool {
        // Another database counts from 0.
        defer { self.count = count }
        guard count > (count < self.count ? 0 : self.count) else { return false }
        defer { lastUptimeMilliseconds = now }
        return lastUptimeMilliseconds.map { now - $0 >= Self.pauseMilliseconds } ?? true
    }
}
