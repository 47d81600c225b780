import OdographWire

/// Finds the levels for which the broker retains no document.
///
/// A broker sends retained messages right after its consent to the subscription, and nothing if there are none, so only
/// a timeout shows their absence. The result is reported, and corrected if a document arrives late. It changes the
/// configuration in one case: a level that may have had a document (``LostDocuments``) no longer makes all time
/// private.
struct RetainedCheck: Hashable, Sendable {
    /// The silence after the last consent or document that ends the check, milliseconds. A round trip of the slowest
    /// mobile network takes a second or two.
    static let timeoutMilliseconds: Int64 = 10_000
    /// The bytes that can arrive during this silence, such as acknowledgements. With more, other messages are arriving,
    /// such as geofences, and a document may wait behind them.
    static let silentBytes: Int64 = 8192
    /// The time after the last consent or document from which other messages do not count, milliseconds: a backlog,
    /// too, brings many acknowledgements.
    static let longestMilliseconds: Int64 = 300_000

    private var subscribed: Set<DownlinkLevel> = []
    private var received: Set<DownlinkLevel> = []
    private var lastActivityUptimeMilliseconds: Int64?
    /// When the last consent or document came.
    private var lastAnswerUptimeMilliseconds: Int64 = 0
    /// The bytes that the connection had received at the last activity.
    private var knownBytes: Int64 = 0
    private var isComplete = false

    /// The time at which the check ends, on the monotonic clock. nil if there is no check.
    var dueUptimeMilliseconds: Int64? {
        isComplete ? nil : lastActivityUptimeMilliseconds.map { $0 + Self.timeoutMilliseconds }
    }

    mutating func reset() { self = RetainedCheck() }

    /// Forgets levels that the device has left. If it joins one again, the broker sends its document again.
    mutating func forget(_ levels: Set<DownlinkLevel>) {
        subscribed.subtract(levels)
        received.subtract(levels)
    }

    /// Handles the broker's consent to a subscription.
    /// - Parameter bytes: The bytes that the connection has received.
    mutating func handleSubscribed(_ level: DownlinkLevel, bytes: Int64 = 0, atUptimeMilliseconds now: Int64) {
        subscribed.insert(level)
        // The device may have joined the level long after the others.
        isComplete = false
        lastAnswerUptimeMilliseconds = now
        noteActivity(bytes: bytes, at: now)
    }

    /// Handles a document.
    /// - Parameter bytes: The bytes that the connection has received.
    mutating func handleReceived(_ level: DownlinkLevel, bytes: Int64 = 0, atUptimeMilliseconds now: Int64) {
        received.insert(level)
        guard lastActivityUptimeMilliseconds != nil else { return }
        lastAnswerUptimeMilliseconds = now
        noteActivity(bytes: bytes, at: now)
    }

    private mutating func noteActivity(bytes: Int64, at now: Int64) {
        lastActivityUptimeMilliseconds = now
        knownBytes = bytes
    }

    /// Returns the levels without a document. nil while documents may still arrive. It never contains a level whose
    /// subscription the broker refused.
    /// - Parameter bytes: The bytes that the connection has received.
    mutating func findMissing(bytes: Int64 = 0, atUptimeMilliseconds now: Int64) -> Set<DownlinkLevel>? {
        if let due = dueUptimeMilliseconds, now >= due {
            let isLong = now - lastAnswerUptimeMilliseconds >= Self.longestMilliseconds
            if !isLong, bytes - knownBytes > Self.silentBytes {
                noteActivity(bytes: bytes, at: now)
            } else {
                isComplete = true
            }
        }
        guard isComplete else { return nil }
        return subscribed.subtracting(received)
    }
}
