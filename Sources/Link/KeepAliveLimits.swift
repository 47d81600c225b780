/// The bounds of the silence that a client allows before it checks the connection.
struct KeepAliveLimits: Hashable, Sendable {
    /// The shortest silence, in milliseconds. It is used until a longer one is proven.
    var shortestMilliseconds: Int64
    /// The longest silence, in milliseconds.
    var longestMilliseconds: Int64
    /// The bounds of the wait for an answer to a check, in milliseconds.
    var answerMilliseconds: ClosedRange<Int64> = 10_000...30_000

    /// Returns the limits for an announced keep-alive; nil if it leaves no room for a search.
    ///
    /// The longest silence and the wait for an answer end within the announced interval: a dead connection is detected
    /// in that time, and the broker never waits for a packet.
    init?(shortestSeconds: Int, announcedSeconds: Int) {
        shortestMilliseconds = Int64(shortestSeconds) * 1000
        longestMilliseconds = Int64(announcedSeconds) * 1000 - answerMilliseconds.upperBound
        guard longestMilliseconds > shortestMilliseconds else { return nil }
    }

    init(shortestMilliseconds: Int64, longestMilliseconds: Int64, answerMilliseconds: ClosedRange<Int64>) {
        self.shortestMilliseconds = shortestMilliseconds
        self.longestMilliseconds = longestMilliseconds
        self.answerMilliseconds = answerMilliseconds
    }
}
