/// The decision which broker of a list is tried next.
///
/// The brokers are tried in their order, one in each attempt. After the last one, the first one follows. After a
/// connection that the network ended, the same broker is tried first, unless it had answered nothing. During a
/// connection to another broker than the first one, the owner looks from time to time whether the first one accepts
/// connections, and returns to it.
struct BrokerRotation {
    /// The first and the longest time until a look at the first broker, in milliseconds: 1 min and 1 h. A vehicle that
    /// left the first broker in an outage of its own network returns soon, and a broker that is gone costs little.
    static let (shortestLookMilliseconds, longestLookMilliseconds): (Int64, Int64) = (60_000, 3_600_000)

    private let count: Int
    private let shortestLookMilliseconds: Int64
    /// Whether there is a connection to the first broker.
    private var isConnectedToFirst = false
    /// The place in the list of the broker of this attempt or connection.
    private(set) var place = 0
    /// The time of the next look at the first broker; nil without a connection to another one.
    private(set) var lookDueMilliseconds: Int64?
    /// The time until the next look, in milliseconds. It doubles with each look until a connection to the first broker
    /// has served.
    private var lookDelayMilliseconds: Int64

    /// - Parameters:
    ///   - count: The number of brokers, at least 1.
    ///   - shortestLookMilliseconds: The time until the first look at the first broker.
    init(count: Int, shortestLookMilliseconds: Int64 = Self.shortestLookMilliseconds) {
        self.count = count
        self.shortestLookMilliseconds = shortestLookMilliseconds
        lookDelayMilliseconds = shortestLookMilliseconds
    }

    /// Handles the broker's consent to a connection.
    mutating func handleConnected(atMilliseconds now: Int64) {
        isConnectedToFirst = place == 0
        lookDueMilliseconds = isConnectedToFirst ? nil : now + lookDelayMilliseconds
    }

    /// Handles a failed attempt, or the end of a connection.
    /// - Parameter triesAgain: Whether the same broker is tried again: there was a connection that served, and the
    ///   network or the client's owner has ended it.
    mutating func handleEnd(triesAgain: Bool) {
        lookDueMilliseconds = nil
        if !triesAgain {
            place = (place + 1) % count
        } else if isConnectedToFirst {
            lookDelayMilliseconds = shortestLookMilliseconds
        }
        isConnectedToFirst = false
    }

    /// Returns whether the owner should look at the first broker now. The time until the next look then begins.
    mutating func takeLook(atMilliseconds now: Int64) -> Bool {
        guard let due = lookDueMilliseconds, now >= due else { return false }
        lookDelayMilliseconds = min(lookDelayMilliseconds * 2, Self.longestLookMilliseconds)
        lookDueMilliseconds = now + lookDelayMilliseconds
        return true
    }

    /// Makes the first broker that of the next attempt.
    mutating func returnToFirst() {
        place = 0
        lookDueMilliseconds = nil
    }
}
