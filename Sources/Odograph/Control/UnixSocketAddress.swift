import Glibc

/// The address of a Unix domain socket.
package struct UnixSocketAddress: Sendable {
    /// The socket type, with close-on-exec.
    package static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    private let path: [UInt8]

    /// - Throws: ``ControlError`` if the path is empty or longer than 107 bytes.
    package init(_ path: String) throws(ControlError) {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count < 108 else {
            throw ControlError(
                .unusable,
                description:
                    "\(path): a socket path has at most 107 bytes, this one has \(bytes.count); set control.path "
                    + "to a shorter one")
        }
        self.path = bytes
    }

    /// Whether a program listens at the address. A hanging program with a full backlog also counts.
    package var hasListener: Bool {
        let descriptor = socket(AF_UNIX, Self.streamType | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withSockaddr { connect(descriptor, $0, $1) } == 0 || errno == EAGAIN
    }

    package func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
