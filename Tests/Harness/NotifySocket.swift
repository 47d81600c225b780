import Glibc
import OdographThreads

/// The service manager's end of sd_notify(3). It keeps the messages of a process.
public final class NotifySocket: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    public let path: String
    private let folder: TemporaryFolder
    private let descriptor: Int32
    private let received = Lock<[String]>([])

    /// Creates the socket in its own folder.
    public init() throws {
        folder = try TemporaryFolder()
        path = folder.file("notify")
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw HarnessError.system("no socket at \(path)") }
    }

    deinit { close(descriptor) }

    /// The messages so far; the lines of a message are joined by spaces.
    public var messages: [String] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            received.withLock { $0.append(text.replacing("\n", with: " ")) }
        }
        return received.withLock { $0 }
    }

    /// Returns the number of messages that contain a word.
    public func count(of word: String) -> Int { messages.count { $0.contains(word) } }
}
