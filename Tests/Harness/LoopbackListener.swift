import Glibc

/// A TCP socket that listens on 127.0.0.1. It is closed with the last reference, after every wait for a connection:
/// earlier, another socket could get its number, and the wait would accept the connections of that one.
public final class LoopbackListener: Sendable {
    /// The listening port.
    public let port: UInt16
    private let descriptor: Int32

    /// Starts to listen.
    /// - Parameter wanted: The port; 0 for a free one.
    public init(port wanted: UInt16 = 0) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // A server that starts again uses the port of the one before, which has connections that are not yet closed.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        port = try FreePort.bindLoopback(descriptor, port: wanted)
        guard listen(descriptor, 64) == 0 else { throw HarnessError.system("cannot listen at port \(port)") }
    }

    deinit { close(descriptor) }

    /// Waits for a connection.
    /// - Returns: Its socket, which the caller closes; nil after ``stop()``, or after an error.
    public func accept() -> Int32? {
        let connection = Glibc.accept(descriptor, nil, nil)
        guard connection >= 0 else { return nil }
        // A child process of another test must not keep the connection open.
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return connection
    }

    /// Runs a function for each connection until ``stop()``, on a thread of its own. It closes the connection's socket.
    /// - Parameter patience: The time after which a wait for bytes ends, seconds; 0 for never.
    public func serve(patienceSeconds patience: Int = 0, _ handle: @escaping @Sendable (Int32) -> Void) {
        startThread { [self] in
            while let connection = accept() {
                var limit = timeval(tv_sec: patience, tv_usec: 0)
                setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
                startThread { handle(connection) }
            }
        }
    }

    /// Accepts no more connections.
    public func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
