/// The knowledge of a client about the silence that the network tolerates. The owner saves it for the next start.
package struct KeepAliveMemory: Codable, Hashable, Sendable {
    /// The longest silence after which the broker still answered, in milliseconds; nil if none is known.
    package var provenMilliseconds: Int64?
    /// The shortest silence after which the connection was dead, in milliseconds; nil if none is known.
    package var failedMilliseconds: Int64?
    /// The number of answers after a silence, since the last failure.
    package var answers = 0
    /// The number of such answers after which `failedMilliseconds` is tried again.
    package var answersUntilRetry = KeepAliveSearch.firstRetryAnswers

    /// Creates a memory of nothing.
    package init() {}

    /// The memory without values that no client can have stored. It comes from a file.
    var plausible: KeepAliveMemory {
        // Twice the longest keep-alive of MQTT.
        let silences = Int64(1)...2 * 65_535_000
        var copy = self
        copy.provenMilliseconds = provenMilliseconds.flatMap { silences.contains($0) ? $0 : nil }
        copy.failedMilliseconds = failedMilliseconds.flatMap { silences.contains($0) ? $0 : nil }
        copy.answersUntilRetry = min(max(answersUntilRetry, 1), KeepAliveSearch.lastRetryAnswers)
        copy.answers = min(max(answers, 0), copy.answersUntilRetry)
        return copy
    }
}
