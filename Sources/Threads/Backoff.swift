/// The delays before new attempts: exponential with full jitter, so that a fleet does not come back as one.
///
/// Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015, "full jitter".
public struct Backoff: Sendable {
    private let minimumSeconds: Double
    private let maximumSeconds: Double
    private let resetSeconds: Double
    private let floorSeconds: Double
    private var doublings = 0

    /// - Parameters:
    ///   - minimumSeconds: the bound of the first delay; it doubles with each attempt.
    ///   - maximumSeconds: the bound of every delay.
    ///   - resetSeconds: a connection must have stayed for this long for the delays to begin anew: a server that accepts
    ///     and then drops everybody must not be asked once a second by all.
    ///   - floorSeconds: no delay is shorter: a server that closes at once must not be connected to in a loop.
    public init(minimumSeconds: Double, maximumSeconds: Double, resetSeconds: Double, floorSeconds: Double = 0) {
        self.minimumSeconds = minimumSeconds
        self.maximumSeconds = maximumSeconds
        self.resetSeconds = resetSeconds
        self.floorSeconds = floorSeconds
    }

    /// The delay after an attempt that failed, or after a connection that stayed so many seconds.
    public mutating func nextDelaySeconds(
        connectedSeconds: Double?, using generator: inout some RandomNumberGenerator
    ) -> Double {
        if let connectedSeconds, connectedSeconds >= resetSeconds { doublings = 0 }
        let ceiling = ceilingSeconds
        if ceiling < maximumSeconds { doublings += 1 }
        return max(Double.random(in: 0...ceiling, using: &generator), floorSeconds)
    }

    /// The upper bound of the next delay, seconds.
    public var ceilingSeconds: Double {
        var ceiling = minimumSeconds
        for _ in 0..<doublings where ceiling < maximumSeconds { ceiling *= 2 }
        return min(ceiling, maximumSeconds)
    }
}
