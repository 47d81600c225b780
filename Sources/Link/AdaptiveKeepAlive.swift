/// Decides when a connection is checked, when it counts as dead, and what that says about the network.
///
/// All times are milliseconds of a clock that also counts while the machine is suspended.
struct AdaptiveKeepAlive: Sendable {
    /// An action that is due now.
    enum Action: Hashable, Sendable {
        case nothing
        /// Send a request that the broker answers.
        case check
        /// End the connection.
        case giveUp(silenceMilliseconds: Int64, waitMilliseconds: Int64)
    }

    private(set) var search: KeepAliveSearch
    private var roundTrip = RoundTripEstimate()
    private var lastReadAt: Int64 = 0
    private var lastWriteAt: Int64 = 0
    /// The first write since the last read, and the silence before it; nil if there is none.
    private var unanswered: (at: Int64, silence: Int64)?
    /// When the check was sent, if nothing was read since; nil otherwise.
    private var checkedAt: Int64?

    init(limits: KeepAliveLimits, memory: KeepAliveMemory = KeepAliveMemory()) {
        search = KeepAliveSearch(limits: limits, memory: memory)
    }

    /// Begins with a new connection.
    mutating func handleConnected(_ limits: KeepAliveLimits, at now: Int64) {
        search.limits = limits
        (lastReadAt, lastWriteAt) = (now, now)
        (unanswered, checkedAt) = (nil, nil)
    }

    private func silence(at now: Int64) -> Int64 { now - max(lastReadAt, lastWriteAt) }

    /// Notes that data was written.
    mutating func handleWrite(at now: Int64) {
        if unanswered == nil { unanswered = (now, silence(at: now)) }
        lastWriteAt = now
    }

    /// Notes that the check was written.
    mutating func handleCheck(at now: Int64) {
        handleWrite(at: now)
        checkedAt = now
    }

    /// Notes that data was received: the connection has survived the silence before.
    mutating func handleRead(at now: Int64) {
        search.handleProof(silenceMilliseconds: unanswered?.silence ?? silence(at: now))
        if let checkedAt { roundTrip.add(now - checkedAt) }
        (unanswered, checkedAt) = (nil, nil)
        lastReadAt = now
    }

    /// Returns the silence after which the connection was found dead, when it ends without a word of the broker, in
    /// milliseconds.
    func silenceBeforeEnd(at now: Int64) -> Int64 { unanswered?.silence ?? silence(at: now) }

    /// Notes that the connection was dead after a silence, although the network was there.
    mutating func handleFailure(silenceMilliseconds silence: Int64) {
        search.handleFailure(silenceMilliseconds: silence)
    }

    /// Returns when the next action is due.
    /// - Parameter isAwaitingAnswer: Whether a message or a subscription waits for its answer. Then the shortest
    ///   silence applies: a dead connection delays data.
    func dueAt(isAwaitingAnswer: Bool) -> Int64 {
        if let checkedAt { return checkedAt + answerMilliseconds }
        let silence = isAwaitingAnswer ? search.limits.shortestMilliseconds : search.silenceMilliseconds
        // A write without an answer does not restart the silence a second time.
        return (unanswered?.at ?? max(lastReadAt, lastWriteAt)) + silence
    }

    /// Returns what is to be done now.
    func action(at now: Int64, isAwaitingAnswer: Bool) -> Action {
        guard now >= dueAt(isAwaitingAnswer: isAwaitingAnswer) else { return .nothing }
        guard let checkedAt else { return .check }
        return .giveUp(
            silenceMilliseconds: unanswered?.silence ?? 0, waitMilliseconds: now - checkedAt)
    }

    private var answerMilliseconds: Int64 {
        let range = search.limits.answerMilliseconds
        return min(max(roundTrip.lostAfterMilliseconds ?? range.upperBound, range.lowerBound), range.upperBound)
    }
}
