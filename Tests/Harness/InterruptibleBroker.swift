import Glibc

/// A broker, or a cluster of them, that a test can interrupt.
public protocol InterruptibleBroker: Sendable {
    /// The ports on 127.0.0.1, one for each part. All of them serve the same topics.
    var ports: [UInt16] { get }

    /// Kills a part with SIGKILL, and starts it again.
    /// - Parameter part: The place of its port in ``ports``.
    func interrupt(_ part: Int) async throws
}

extension MosquittoBroker: InterruptibleBroker {
    /// The only port.
    public var ports: [UInt16] { [port] }

    /// Kills the broker with SIGKILL, and starts it again.
    public func interrupt(_ part: Int) async throws {
        try await stop(SIGKILL)
        try await start()
    }
}
