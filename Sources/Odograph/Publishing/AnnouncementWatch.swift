/// Decides whether records wait for what the broker retains on the topic `numbers` of this device.
///
/// A broker says nothing if it retains nothing, so the wait is bounded. A broker that has not answered once is not
/// awaited again in this run.
///
/// A broker whose rules do not allow the topic can end the connection. If a connection ends after the announcement and
/// before anything is acknowledged, the records of the next one wait for a moment after it: so the end shows its cause.
struct AnnouncementWatch {
    /// The longest wait after a connection, milliseconds. A round trip of the slowest mobile network takes a second or
    /// two.
    private static let answerMilliseconds: Int64 = 5_000
    /// The longest wait after the broker's consent to the subscription, which the message follows, milliseconds.
    private static let retainedMilliseconds: Int64 = 2_000

    /// The wait after an announcement that has perhaps ended the last connection, milliseconds.
    private static let proofMilliseconds: Int64 = 2_000

    /// Whether a message on the topic is expected on each connection.
    private var isExpected: Bool
    /// The time until which records wait, on the monotonic clock; nil if they do not.
    private(set) var dueUptimeMilliseconds: Int64?
    /// Whether an announcement has perhaps ended the last connection.
    private var isSuspected = false
    /// Whether records wait to show whether the announcement ends this connection.
    private var isProving = false
    /// The number of connections in a row that an announcement has ended.
    private(set) var ends = 0

    /// - Parameter isSubscribed: Whether the agent subscribes to the topic.
    init(isSubscribed: Bool) { isExpected = isSubscribed }

    /// - Parameter hasAnnounced: Whether this disk has ever announced numbers of its epoch. Otherwise no other
    ///   machine can know the epoch.
    mutating func handleConnected(hasAnnounced: Bool, uptimeMilliseconds now: Int64) {
        dueUptimeMilliseconds = isExpected && hasAnnounced ? now + Self.answerMilliseconds : nil
    }

    /// Handles an announcement.
    mutating func handleAnnounced(uptimeMilliseconds now: Int64) {
        guard isSuspected else { return }
        isProving = true
        dueUptimeMilliseconds = now + Self.proofMilliseconds
    }

    /// - Parameters:
    ///   - isAfterAnnouncement: Whether the broker has ended the connection after an announcement, and has acknowledged
    ///     nothing since.
    ///   - isAlone: Whether no record was on the way.
    mutating func handleDisconnected(isAfterAnnouncement: Bool = false, isAlone: Bool = false) {
        dueUptimeMilliseconds = nil
        isProving = false
        isSuspected = isAfterAnnouncement
        ends = !isAfterAnnouncement ? 0 : isAlone ? ends + 1 : ends
    }

    /// Handles the broker's answer to the subscription.
    mutating func handleSubscribed(isRefused: Bool, uptimeMilliseconds now: Int64) {
        if isRefused { isExpected = false }
        dueUptimeMilliseconds = dueUptimeMilliseconds.flatMap {
            isRefused ? nil : min($0, now + Self.retainedMilliseconds)
        }
    }

    mutating func handleMessage() { if !isProving { dueUptimeMilliseconds = nil } }

    /// Ends the wait if it is over.
    /// - Returns: Whether it has ended now.
    mutating func tick(uptimeMilliseconds now: Int64) -> Bool {
        guard let due = dueUptimeMilliseconds, due <= now else { return false }
        dueUptimeMilliseconds = nil
        if isProving {
            (isProving, isSuspected, ends) = (false, false, 0)
        } else {
            isExpected = false
        }
        return true
    }
}
