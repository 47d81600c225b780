import Glibc
import OdographJSON
import Threads
import Wire

/// A local program's way to the running agent.
public struct ControlSocketClient: Sendable {
    private let path: String
    private let address: String?

    /// - Parameters:
    ///   - path: the agent's control socket.
    ///   - address: the agent that is meant, root, fleet and device joined by slashes. Another agent does nothing, and its answer is
    ///     an error. nil: whichever agent answers there.
    public init(path: String, address: String? = nil) {
        self.path = path
        self.address = address
    }

    /// Whether an agent answers there.
    public var hasListener: Bool {
        (try? UnixSocketAddress(path))?.hasListener ?? false
    }

    /// Asks the agent and waits for its answer. Blocks the calling thread.
    /// - Parameters:
    ///   - request: the command.
    ///   - timeoutSeconds: an agent that has not answered by then is taken to hang.
    /// - Throws: ``ControlError`` where no agent answers, or another one than is meant.
    public func perform(_ request: CommandRequest, timeoutSeconds: Int = 60) throws(ControlError) -> CommandResponse {
        let place = try UnixSocketAddress(path)
        let descriptor = socket(AF_UNIX, UnixSocketAddress.streamType, 0)
        guard descriptor >= 0 else { throw failure(strerror(errno)) }
        defer { close(descriptor) }
        // Before connecting, which waits as well where an agent that hangs no longer takes connections.
        var patience = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard place.withSockaddr({ connect(descriptor, $0, $1) }) == 0 else {
            throw Self.connectError(path: path, code: errno)
        }
        var request = request
        request.address = request.address ?? address
        guard var bytes = try? JSONCoder.bytes(of: request) else { throw failure("the command is not JSON") }
        bytes.append(UInt8(ascii: "\n"))
        let sent = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent == bytes.count, let line = readLine(descriptor),
            let response = try? JSONCoder.decode(CommandResponse.self, from: line)
        else { throw failure("the agent gave no answer; see its log") }
        if let address, response.address != address { throw otherAgentError(response.address, expected: address) }
        return response
    }

    private func otherAgentError(_ other: String?, expected: String) -> ControlError {
        let found =
            other.map { "the agent \($0) answers here" } ?? "an older agent answers here, which does not say its name"
        let advice =
            other == nil
            ? "start it again"
            : "name the configuration of the agent that is meant, and give each agent a control.path of its own"
        return ControlError(.otherAgent, description: "\(path): \(found), and not \(expected); \(advice)")
    }

    /// As ``perform(_:timeoutSeconds:)``, on a thread of its own: no thread of the language's pool is kept waiting.
    /// - Throws: ``ControlError`` where no agent answers.
    public func response(
        to request: CommandRequest, timeoutSeconds: Int = 60
    ) async throws(ControlError) -> CommandResponse {
        let result = await withCheckedContinuation { continuation in
            let isRunning = WorkerThread.start {
                continuation.resume(
                    returning: Result { () throws(ControlError) in try perform(request, timeoutSeconds: timeoutSeconds)
                    })
            }
            if !isRunning { continuation.resume(returning: .failure(failure("the system has no thread left"))) }
        }
        return try result.get()
    }

    private func readLine(_ descriptor: Int32) -> [UInt8]? {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            if let newline = chunk[..<count].firstIndex(of: UInt8(ascii: "\n")) { return line + chunk[..<newline] }
            line += chunk[..<count]
        }
    }

    private func failure(_ reason: UnsafeMutablePointer<CChar>) -> ControlError {
        failure(String(cString: reason))
    }

    private func failure(_ reason: String) -> ControlError {
        ControlError(.noAnswer, description: "\(path): \(reason)")
    }

    private static func connectError(path: String, code: Int32) -> ControlError {
        switch code {
        case ENOENT, ECONNREFUSED:
            ControlError(
                .noAgent,
                description:
                    "\(path): no agent runs here; start one with `odograph run`, or name its socket with --socket")
        case EAGAIN:
            ControlError(.noAnswer, description: "\(path): the agent takes no further program; it hangs, see its log")
        case EACCES, EPERM:
            ControlError(
                .noPermission,
                description: "\(path): this user may not speak to the agent; ask as root or as the agent's own user")
        default: ControlError(.noAnswer, description: "\(path): \(String(cString: strerror(code)))")
        }
    }
}
