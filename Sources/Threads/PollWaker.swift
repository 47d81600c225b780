import Glibc

/// A signal that wakes a thread in `poll`.
public final class PollWaker: Sendable {
    /// The descriptor for `poll`: readable after `wake()`.
    public let readDescriptor: Int32
    private let writeDescriptor: Int32

    /// Creates a waker; nil if the process has no descriptor left.
    public init?() {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        readDescriptor = ends[0]
        writeDescriptor = ends[1]
    }

    deinit {
        close(readDescriptor)
        close(writeDescriptor)
    }

    /// Wakes the thread. May be called from any thread, any number of times.
    public func wake() {
        var one: UInt8 = 1
        // A full socket wakes the thread too, so the error is ignored.
        _ = send(writeDescriptor, &one, 1, Int32(MSG_NOSIGNAL))
    }

    /// Clears the signal, so that the next `poll` waits.
    public func clear() {
        var taken = [UInt8](repeating: 0, count: 64)
        while read(readDescriptor, &taken, taken.count) > 0 {}
    }
}
