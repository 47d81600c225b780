import Glibc

/// A signal that wakes a thread in `poll`.
public final class PollWaker: Sendable {
    /// The end of a wait.
    public enum Readiness {
        /// The descriptor can be used.
        case ready
        /// The time has passed, or a signal has ended the wait.
        case timedOut
        /// Another thread has called ``PollWaker/wake()``.
        case wokenUp
    }

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

    /// Waits for a descriptor, a wake-up or a time. The caller checks its clock again.
    /// - Parameters:
    ///   - descriptor: The descriptor; −1 to wait for a wake-up or the time only.
    ///   - events: The events of `poll`. Errors of the descriptor end the wait too.
    ///   - milliseconds: The longest wait. A negative time is none; nil waits without a limit.
    public func wait(for descriptor: Int32 = -1, events: Int32 = POLLIN, milliseconds: Int32?) -> Readiness {
        var polled = [
            pollfd(fd: readDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
        ]
        let count = poll(&polled, 2, milliseconds.map { max($0, 0) } ?? -1)
        guard count > 0 else { return .timedOut }
        return polled[0].revents != 0 ? .wokenUp : .ready
    }

    /// Clears the signal, so that the next `poll` waits.
    public func clear() {
        var taken = [UInt8](repeating: 0, count: 64)
        while read(readDescriptor, &taken, taken.count) > 0 {}
    }
}
