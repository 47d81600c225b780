import Glibc

/// Notifies the service manager of the state of this process. Protocol: sd_notify(3), a datagram of `KEY=value` lines
/// to the socket in `NOTIFY_SOCKET`.
public struct SystemdNotifier: Sendable {
    /// A state of the process.
    public enum Notice: Hashable, Sendable {
        /// The service has started.
        case ready
        /// The configuration is being reloaded; `ready` ends it.
        case reloading
        /// The process is about to end.
        case stopping
        /// The process works: restarts the watchdog's timer.
        case watchdog
        /// A line for people, shown by `systemctl status`.
        case status(String)
    }

    /// The watchdog's timeout, seconds. nil if there is no watchdog.
    public let watchdogSeconds: Double?
    /// The time between two looks at the process, seconds; nil if there is no watchdog. The timeout has three of them,
    /// so one that is late does no harm.
    package var watchdogBeatSeconds: Double? { watchdogSeconds.map { $0 / 3 } }
    private let path: String

    /// Creates a notifier from the environment.
    /// - Parameter environment: Returns a variable of the environment.
    /// - Returns: nil if no service manager expects notifications.
    public init?(environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }) {
        guard let path = environment("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@"),
            Self.address(path) != nil
        else { return nil }
        self.path = path
        // The variables may be inherited from a process that the watchdog monitors.
        let isMeant = environment("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
        let microseconds = environment("WATCHDOG_USEC").flatMap { Double($0) } ?? 0
        watchdogSeconds = isMeant && microseconds > 0 ? microseconds / 1_000_000 : nil
    }

    /// Sends notices. Errors are ignored.
    public func notify(_ notices: Notice...) {
        let bytes = Array(notices.map(Self.text).joined(separator: "\n").utf8)
        guard let (address, length) = Self.address(path) else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }

    private static func text(_ notice: Notice) -> String {
        switch notice {
        case .ready: return "READY=1"
        case .reloading:
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return "RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)"
        case .stopping: return "STOPPING=1"
        case .watchdog: return "WATCHDOG=1"
        case .status(let line): return "STATUS=" + line.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
    }

    /// - Parameter path: A path that begins with `@` is in the abstract namespace, see unix(7).
    private static func address(_ path: String) -> (sockaddr_un, socklen_t)? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        guard bytes.count < capacity else { return nil }
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
        return (address, socklen_t(start + bytes.count + (isAbstract ? 0 : 1)))
    }
}
