/// An estimate of the time from a request to its answer.
///
/// Source: RFC 6298, section 2, with its smoothing factors of 1/8 and 1/4.
struct RoundTripEstimate: Hashable, Sendable {
    private var smoothedMilliseconds: Double?
    private var deviationMilliseconds = 0.0

    mutating func add(_ milliseconds: Int64) {
        let sample = Double(milliseconds)
        guard let smoothed = smoothedMilliseconds else {
            (smoothedMilliseconds, deviationMilliseconds) = (sample, sample / 2)
            return
        }
        deviationMilliseconds += (abs(smoothed - sample) - deviationMilliseconds) / 4
        smoothedMilliseconds = smoothed + (sample - smoothed) / 8
    }

    /// The time after which an answer no longer comes, in milliseconds; nil without a sample. It is seven times the
    /// retransmission timeout of RFC 6298: by then TCP has sent the request three more times, after one, three and
    /// seven timeouts.
    var lostAfterMilliseconds: Int64? {
        smoothedMilliseconds.map { Int64(7 * ($0 + 4 * deviationMilliseconds)) }
    }
}
