/// The delays before new attempts: exponential with full jitter, so that a fleet does not come back as one.
///
/// Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015, "full jitter".
struct Backoff {
    let minimumSeconds: Double
    let maximumSeconds: Double
    /// Seconds that a connection must have stayed for the delays to begin anew: a broker that accepts and then drops
    /// everybody must not be asked once a second by all.
    let resetSeconds: Double
    private var doublings = 0

    init(minimumSeconds: Double, maximumSeconds: Double, resetSeconds: Double) {
        self.minimumSeconds = minimumSeconds
        self.maximumSeconds = maximumSeconds
        self.resetSeconds = resetSeconds
    }

    /// The delay after an attempt that failed, or after a connection that stayed so many seconds.
    mutating func delaySeconds(
        connectedSeconds: Double?, using generator: inout some RandomNumberGenerator
    ) -> Double {
        if let connectedSeconds, connectedSeconds >= resetSeconds { doublings = 0 }
        let ceiling = ceilingSeconds
        if ceiling < maximumSeconds { doublings += 1 }
        return Double.random(in: 0...ceiling, using: &generator)
    }

    /// The upper bound of the next delay, seconds.
    var ceilingSeconds: Double {
        var ceiling = minimumSeconds
        for _ in 0..<doublings where ceiling < maximumSeconds { ceiling *= 2 }
        return min(ceiling, maximumSeconds)
    }
}
