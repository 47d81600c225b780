import Wire

/// Finds out which levels the broker holds no document of.
///
/// A broker sends what it holds right behind its consent to the subscription, and says nothing where it holds nothing. So
/// silence has to be waited for; that is only ever told, never acted on, and is taken back when a document comes late.
struct RetainedWatch: Hashable, Sendable {
    /// Silence of this length behind the last consent or message says that nothing more comes, milliseconds. A round
    /// trip of the slowest mobile network takes a second or two.
    private static let silenceMilliseconds: Int64 = 10_000

    private var granted: Set<DownlinkLevel> = []
    private var heard: Set<DownlinkLevel> = []
    private var lastUptimeMilliseconds: Int64?
    private var isOver = false

    /// When nothing more is to come, on the monotonic clock; nil where nothing is waited for.
    var dueUptimeMilliseconds: Int64? { isOver ? nil : lastUptimeMilliseconds.map { $0 + Self.silenceMilliseconds } }

    /// A connection begins or ends: what the broker holds is not known.
    mutating func reset() { self = RetainedWatch() }

    /// The broker consents to a subscription.
    mutating func granted(_ level: DownlinkLevel, atUptimeMilliseconds now: Int64) {
        granted.insert(level)
        lastUptimeMilliseconds = now
    }

    /// A document has come.
    mutating func heard(_ level: DownlinkLevel, atUptimeMilliseconds now: Int64) {
        heard.insert(level)
        if lastUptimeMilliseconds != nil { lastUptimeMilliseconds = now }
    }

    /// The levels that nothing has come of; nil while something may still come. A level that the broker does not let the
    /// device listen to is never among them.
    mutating func silent(atUptimeMilliseconds now: Int64) -> Set<DownlinkLevel>? {
        if let due = dueUptimeMilliseconds, now >= due { isOver = true }
        guard isOver else { return nil }
        return granted.subtracting(heard)
    }
}
