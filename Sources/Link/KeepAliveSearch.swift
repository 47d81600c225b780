/// Finds the longest silence that the network between the agent and the broker tolerates.
///
/// A NAT forgets a connection after some silence, and then drops its packets. The search tries longer silences after
/// each answer, by a factor of 1.5, and then the geometric mean between the longest proven and the shortest failed one,
/// until they are within a factor of 1.1. The proven one is in use then, so the cost is at most 1.1 times what the
/// network's limit forces.
///
/// A failure can also be an ordinary loss of coverage. Therefore a failed silence is tried again after
/// ``firstRetryAnswers`` answers, and later after up to ``lastRetryAnswers``. A failure costs a new connection, which
/// is as expensive as about 40 checks: so the retries cost at most a twentieth of the checks in the long term. A
/// failure of a proven silence means that the network's limit has become shorter: the search begins again with the
/// shortest one.
struct KeepAliveSearch: Hashable, Sendable {
    static let firstRetryAnswers = 100
    static let lastRetryAnswers = 800
    /// The factor between the proven and the failed silence at which the search ends.
    private static let precision = 1.1
    /// The factor below which two silences are the same: a check is late by the thread's latency.
    private static let tolerance = 1.02

    var limits: KeepAliveLimits
    private(set) var memory: KeepAliveMemory

    init(limits: KeepAliveLimits, memory: KeepAliveMemory = KeepAliveMemory()) {
        self.limits = limits
        self.memory = memory.plausible
    }

    /// The silence after which the connection is to be checked, in milliseconds.
    var silenceMilliseconds: Int64 {
        guard let proven = memory.provenMilliseconds else { return limits.shortestMilliseconds }
        return min(max(next(after: proven), limits.shortestMilliseconds), limits.longestMilliseconds)
    }

    private func next(after proven: Int64) -> Int64 {
        let longer = proven + proven / 2
        guard let failed = memory.failedMilliseconds else { return longer }
        guard Double(failed) > Double(proven) * Self.precision else {
            return memory.answers >= memory.answersUntilRetry ? failed : proven
        }
        return min(longer, Int64((Double(proven) * Double(failed)).squareRoot()))
    }

    /// Whether not even the shortest silence is tolerated, as far as the search knows.
    var isShortestTooLong: Bool {
        guard memory.provenMilliseconds == nil, let failed = memory.failedMilliseconds else { return false }
        return !isLonger(failed, than: limits.shortestMilliseconds)
    }

    /// Notes that the connection was alive after a silence.
    mutating func handleProof(silenceMilliseconds silence: Int64) {
        guard silence >= limits.shortestMilliseconds else { return }
        memory.answers += 1
        if let failed = memory.failedMilliseconds, failed <= silence {
            memory.failedMilliseconds = nil
            memory.answersUntilRetry = Self.firstRetryAnswers
        }
        guard let proven = memory.provenMilliseconds, !isLonger(silence, than: proven) else {
            memory.provenMilliseconds = silence
            return
        }
    }

    /// Notes that the connection was dead after a silence, although the network was there.
    mutating func handleFailure(silenceMilliseconds silence: Int64) {
        guard silence >= limits.shortestMilliseconds else { return }
        if let proven = memory.provenMilliseconds, !isLonger(silence, than: proven) {
            memory = KeepAliveMemory()
            memory.failedMilliseconds = silence
            return
        }
        memory.answers = 0
        if let failed = memory.failedMilliseconds, failed <= silence {
            memory.answersUntilRetry = min(memory.answersUntilRetry * 2, Self.lastRetryAnswers)
        } else {
            memory.failedMilliseconds = silence
            memory.answersUntilRetry = Self.firstRetryAnswers
        }
    }

    /// Whether the memory has changed so much since an earlier state that it is worth a write to the disk. The number
    /// of answers alone is saved now and then.
    func isWorthSaving(after former: KeepAliveSearch) -> Bool {
        var (old, new) = (former.memory, memory)
        let saved = Self.firstRetryAnswers / 2
        (old.answers, new.answers) = (old.answers / saved, new.answers / saved)
        return old != new
    }

    private func isLonger(_ silence: Int64, than other: Int64) -> Bool {
        Double(silence) > Double(other) * Self.tolerance
    }
}
