/// Decides whether records wait for a message on the topic `numbers` of this device: after a connection for what the
/// broker retains, and after an announcement for the broker to send it back. The broker sends all announcements in one
/// order. So of two machines that announce the same numbers at once, only the first one publishes records with them.
///
/// A broker says nothing if it retains nothing, or does not allow the topic, so the wait is bounded. A broker that has
/// not answered once is not awaited again in this run.
///
/// A broker whose rules do not allow the topic can end the connection. If a connection ends after the announcement and
/// before anything is acknowledged, the records of the next one wait for a moment after it: so the end shows its cause.
struct AnnouncementWatch {
    /// The longest wait for a broker that has not sent a message on the topic in this run, milliseconds. A round trip
    /// of the slowest mobile network takes a second or two.
    private static let answerMilliseconds: Int64 = 5_000
    /// The longest wait for one that has, milliseconds: a link or a machine can be slow for a while.
    private static let laterAnswerMilliseconds: Int64 = 60_000
    /// The longest wait after the broker's consent to the subscription, which the message follows, milliseconds.
    private static let retainedMilliseconds: Int64 = 2_000
    /// The wait after an announcement that has perhaps ended the last connection, if the broker does not send it back,
    /// milliseconds.
    private static let proofMilliseconds: Int64 = 2_000

    /// Whether a message on the topic is expected on each connection.
    private var isExpected: Bool
    /// Whether a message on the topic has come in this run.
    private var hasAnswered = false
    /// The time until which records wait, on the monotonic clock; nil if they do not.
    private(set) var dueUptimeMilliseconds: Int64?
    /// Whether records wait for the agent's own announcement.
    private var isAwaitingOwn = false
    /// Whether an announcement has perhaps ended the last connection.
    private var isSuspected = false
    /// The number of connections in a row that an announcement has ended.
    private(set) var ends = 0

    /// - Parameter isSubscribed: Whether the agent subscribes to the topic.
    init(isSubscribed: Bool) { isExpected = isSubscribed }

    /// - Parameter hasAnnounced: Whether this disk has ever announced numbers of its epoch. Otherwise no other
    ///   machine can know the epoch.
    mutating func handleConnected(hasAnnounced: Bool, uptimeMilliseconds now: Int64) {
        isAwaitingOwn = false
        dueUptimeMilliseconds = isExpected && hasAnnounced ? now + answerMilliseconds : nil
    }

    /// Handles an announcement.
    mutating func handleAnnounced(uptimeMilliseconds now: Int64) {
        guard isExpected || isSuspected else { return }
        isAwaitingOwn = true
        dueUptimeMilliseconds = now + (isExpected ? answerMilliseconds : Self.proofMilliseconds)
    }

    /// Handles a new epoch: no other machine knows its numbers, and the announcement on the way is of no interest.
    mutating func handleNewEpoch() {
        isAwaitingOwn = false
        dueUptimeMilliseconds = nil
    }

    /// - Parameters:
    ///   - isAfterAnnouncement: Whether the broker has ended the connection after an announcement, and has acknowledged
    ///     nothing since.
    ///   - isAlone: Whether no record was on the way.
    mutating func handleDisconnected(isAfterAnnouncement: Bool = false, isAlone: Bool = false) {
        dueUptimeMilliseconds = nil
        isAwaitingOwn = false
        isSuspected = isAfterAnnouncement
        ends = !isAfterAnnouncement ? 0 : isAlone ? ends + 1 : ends
    }

    /// Handles the broker's answer to the subscription.
    mutating func handleSubscribed(isRefused: Bool, uptimeMilliseconds now: Int64) {
        if isRefused { isExpected = false }
        guard let due = dueUptimeMilliseconds else { return }
        if isRefused {
            dueUptimeMilliseconds = isAwaitingOwn && isSuspected ? min(due, now + Self.proofMilliseconds) : nil
        } else if !isAwaitingOwn {
            dueUptimeMilliseconds = min(due, now + Self.retainedMilliseconds)
        }
    }

    /// Handles a message on the topic.
    ///
    /// - Parameter isOwn: Whether it is this agent's newest announcement.
    mutating func handleMessage(isOwn: Bool) {
        hasAnswered = true
        guard isOwn || !isAwaitingOwn else { return }
        if isAwaitingOwn { acquit() }
        isAwaitingOwn = false
        dueUptimeMilliseconds = nil
    }

    /// Ends the wait if it is over.
    /// - Returns: Whether it has ended now.
    mutating func tick(uptimeMilliseconds now: Int64) -> Bool {
        guard let due = dueUptimeMilliseconds, due <= now else { return false }
        dueUptimeMilliseconds = nil
        if isAwaitingOwn { acquit() }
        isAwaitingOwn = false
        isExpected = false
        return true
    }

    private var answerMilliseconds: Int64 { hasAnswered ? Self.laterAnswerMilliseconds : Self.answerMilliseconds }

    /// The connection lasts after the announcement.
    private mutating func acquit() { (isSuspected, ends) = (false, 0) }
}
