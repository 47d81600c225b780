/// How long to wait before connecting anew: full jitter, as in Marc Brooker, "Exponential Backoff And Jitter" (2015).
struct Backoff {
    /// No wait is shorter: a daemon that closes at once must not be connected to in a loop.
    private static let shortestSeconds = 0.05

    private let firstSeconds: Double
    private let longestSeconds: Double
    private var failures = 0

    init(firstSeconds: Double, longestSeconds: Double) {
        self.firstSeconds = firstSeconds
        self.longestSeconds = longestSeconds
    }

    /// A connection was good: the next wait is a short one again.
    mutating func reset() {
        failures = 0
    }

    /// Counts a failure and gives the seconds to wait, evenly from 0 to a bound that doubles with each failure.
    mutating func nextSeconds(using generator: inout some RandomNumberGenerator) -> Double {
        var bound = firstSeconds
        for _ in 0..<failures where bound < longestSeconds { bound *= 2 }
        failures += 1
        let highest = max(min(bound, longestSeconds), Self.shortestSeconds)
        return max(Double.random(in: 0...highest, using: &generator), Self.shortestSeconds)
    }
}
