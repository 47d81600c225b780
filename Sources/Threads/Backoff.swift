/// The delays before new attempts: exponential with full jitter, so that a fleet does not reconnect at the same moment.
///
/// Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015, "full jitter".
public struct Backoff: Sendable {
    private let minimumSeconds: Double
    private let maximumSeconds: Double
    private let resetSeconds: Double
    private let floorSeconds: Double
    private var doublings = 0

    /// - Parameters:
    ///   - minimumSeconds: The upper bound of the first delay; it doubles with each attempt.
    ///   - maximumSeconds: The upper bound of every delay.
    ///   - resetSeconds: How long a connection must have lasted to reset the delays. Without it, all clients would
    ///     reconnect every second to a server that accepts and then drops them.
    ///   - floorSeconds: The shortest delay. It prevents a busy loop with a server that closes at once.
    public init(minimumSeconds: Double, maximumSeconds: Double, resetSeconds: Double, floorSeconds: Double = 0) {
        self.minimumSeconds = minimumSeconds
        self.maximumSeconds = maximumSeconds
        self.resetSeconds = resetSeconds
        self.floorSeconds = floorSeconds
    }

    /// Returns the delay in seconds after a connection of the given length, or after a failed attempt (nil).
    public mutating func nextDelaySeconds(
        connectedSeconds: Double?, using generator: inout some RandomNumberGenerator
    ) -> Double {
        if let connectedSeconds, connectedSeconds >= resetSeconds { doublings = 0 }
        let ceiling = ceilingSeconds
        if ceiling < maximumSeconds { doublings += 1 }
        return max(Double.random(in: 0...ceiling, using: &generator), floorSeconds)
    }

    /// Returns the delay in seconds after the server has ended a connection that had lasted. It ends all connections at
    /// once when it is stopped, so the first delays must already be far apart: two fifths of the maximum.
    public mutating func spreadDelaySeconds(using generator: inout some RandomNumberGenerator) -> Double {
        doublings = 0
        return max(Double.random(in: 0...maximumSeconds * 0.4, using: &generator), floorSeconds)
    }

    /// The upper bound of the next delay, in seconds.
    public var ceilingSeconds: Double {
        var ceiling = minimumSeconds
        for _ in 0..<doublings where ceiling < maximumSeconds { ceiling *= 2 }
        return min(ceiling, maximumSeconds)
    }
}
