import Glibc
import OdographThreads

/// Unused ports of the loopback interface.
public enum FreePort {
    /// Below the kernel's range for outgoing connections (ip_local_port_range, see ip(7)). An outgoing connection could
    /// take a port of that range before the test listens, or connect to itself while no process listens.
    private static let range: Range<UInt16> = 10_000..<32_768

    /// The ports that this process has chosen. Their users may not listen yet.
    private static let drawn = Lock(Set<UInt16>())

    /// Returns a random free TCP port of 127.0.0.1, each port once per process.
    public static func next() throws -> UInt16 {
        for _ in 0..<100 {
            let port = UInt16.random(in: range)
            guard drawn.withLock({ $0.insert(port).inserted }) else { continue }
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { throw HarnessError.system("no socket") }
            defer { close(descriptor) }
            if (try? bindLoopback(descriptor, port: port)) != nil { return port }
        }
        throw HarnessError("no free port of 127.0.0.1 in \(range)")
    }

    /// Binds a socket to a port of 127.0.0.1.
    /// - Parameter port: The port; 0 for a free one.
    /// - Returns: The port.
    public static func bindLoopback(_ descriptor: Int32, port: UInt16) throws -> UInt16 {
        var address = loopback(port: port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                let bound = bind(descriptor, generic, length)
                return bound != 0 ? bound : getsockname(descriptor, generic, &length)
            }
        }
        guard code == 0 else { throw HarnessError.system("127.0.0.1 port \(port)") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Whether something accepts connections at a port of 127.0.0.1.
    public static func isServed(_ port: UInt16) -> Bool {
        guard let descriptor = connected(to: port) else { return false }
        close(descriptor)
        return true
    }

    /// Connects to a port of 127.0.0.1.
    /// - Returns: The socket, which the caller closes; nil if nothing accepts connections there.
    static func connected(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = loopback(port: port)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Begins to connect to a port of 127.0.0.1, and does not wait.
    /// - Returns: The socket, which the caller closes.
    public static func beginConnecting(to port: UInt16) -> Int32 {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = loopback(port: port)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
