import Glibc

/// Wakes a thread that waits in `poll`.
public final class PollWaker: Sendable {
    /// Readable once it was signalled; for `poll`.
    public let readDescriptor: Int32
    private let writeDescriptor: Int32

    /// - Returns: nil where the process has no descriptor left.
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

    /// May be called from any thread, any number of times.
    public func wake() {
        var one: UInt8 = 1
        // A socket that is full wakes as well as one byte does.
        _ = send(writeDescriptor, &one, 1, Int32(MSG_NOSIGNAL))
    }

    /// Takes what was signalled, so that the next `poll` waits again.
    public func clear() {
        var taken = [UInt8](repeating: 0, count: 64)
        while read(readDescriptor, &taken, taken.count) > 0 {}
    }
}
