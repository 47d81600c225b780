/// The caps on what a client publishes in a second.
public struct RateLimits: Hashable, Sendable {
    /// The largest number of messages in any second, ≥ 1; nil for no cap.
    public var messagesPerSecond: Int?
    /// The largest number of bytes in a second, ≥ 1000; nil for no cap. A message that is longer than a tenth of it can
    /// exceed it for one second; the mean over several seconds keeps it.
    public var bytesPerSecond: Int?

    /// Creates caps.
    public init(messagesPerSecond: Int? = nil, bytesPerSecond: Int? = nil) {
        self.messagesPerSecond = messagesPerSecond
        self.bytesPerSecond = bytesPerSecond
    }

    /// The caps, limited to the range that the client supports.
    var clamped: RateLimits {
        RateLimits(
            messagesPerSecond: messagesPerSecond.map { max($0, 1) },
            bytesPerSecond: bytesPerSecond.map { max($0, 1000) })
    }
}
