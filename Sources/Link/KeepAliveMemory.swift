/// The knowledge of a client about the silence that the network tolerates. The owner saves it for the next start.
public struct KeepAliveMemory: Codable, Hashable, Sendable {
    /// The longest silence after which the broker still answered, in milliseconds; nil if none is known.
    public var provenMilliseconds: Int64?
    /// The shortest silence after which the connection was dead, in milliseconds; nil if none is known.
    public var failedMilliseconds: Int64?
    /// The number of answers after a silence, since the last failure.
    public var answers = 0
    /// The number of such answers after which `failedMilliseconds` is tried again.
    public var answersUntilRetry = KeepAliveSearch.firstRetryAnswers

    /// Creates a memory of nothing.
    public init() {}

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
