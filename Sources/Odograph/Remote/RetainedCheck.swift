import Wire

/// Finds out which levels the broker holds no document of.
///
/// A broker sends what it holds right behind its consent to the subscription, and says nothing where it holds nothing. So
/// silence has to be waited for; that is only ever told, never acted on, and is taken back when a document comes late.
struct RetainedCheck: Hashable, Sendable {
    /// Silence of this length behind the last consent or message says that nothing more comes, milliseconds. A round
    /// trip of the slowest mobile network takes a second or two.
    private static let timeoutMilliseconds: Int64 = 10_000

    private var subscribed: Set<DownlinkLevel> = []
    private var received: Set<DownlinkLevel> = []
    private var lastActivityUptimeMilliseconds: Int64?
    private var isComplete = false

    /// When nothing more is to come, on the monotonic clock; nil where nothing is waited for.
    var dueUptimeMilliseconds: Int64? {
        isComplete ? nil : lastActivityUptimeMilliseconds.map { $0 + Self.timeoutMilliseconds }
    }

    /// A connection begins or ends: what the broker holds is not known.
    mutating func reset() { self = RetainedCheck() }

    /// The broker consents to a subscription.
    mutating func handleSubscribed(_ level: DownlinkLevel, atUptimeMilliseconds now: Int64) {
        subscribed.insert(level)
        lastActivityUptimeMilliseconds = now
    }

    /// A document has come.
    mutating func handleReceived(_ level: DownlinkLevel, atUptimeMilliseconds now: Int64) {
        received.insert(level)
        if lastActivityUptimeMilliseconds != nil { lastActivityUptimeMilliseconds = now }
    }

    /// The levels that nothing has come of; nil while something may still come. A level that the broker does not let the
    /// device listen to is never among them.
    mutating func findMissing(atUptimeMilliseconds now: Int64) -> Set<DownlinkLevel>? {
        if let due = dueUptimeMilliseconds, now >= due { isComplete = true }
        guard isComplete else { return nil }
        return subscribed.subtracting(received)
    }
}
