import Odograph
import Glibc
import OdographJSON
import OdographThreads
import OdographWire

/// Sends commands to the running agent through its control socket.
public struct ControlSocketClient: Sendable {
    let path: String
    private let address: String?

    /// - Parameters:
    ///   - path: the agent's control socket.
    ///   - address: the root, fleet and device of the agent, joined by slashes. A different agent rejects the command.
    ///     nil: any agent.
    public init(path: String, address: String? = nil) {
        self.path = path
        self.address = address
    }

    /// Sends a command and returns the response. Blocks the calling thread.
    /// - Parameters:
    ///   - request: the command.
    ///   - timeoutSeconds: the timeout of the connection and of each read and write.
    /// - Throws: ``ControlError`` if no agent answers, or a different one than requested.
    public func perform(_ request: CommandRequest, timeoutSeconds: Int = 60) throws(ControlError) -> CommandResponse {
        let place = try UnixSocketAddress(path)
        let descriptor = socket(AF_UNIX, UnixSocketAddress.streamType, 0)
        guard descriptor >= 0 else { throw failure(strerror(errno)) }
        defer { close(descriptor) }
        // Set before `connect`, which also waits if a hanging agent accepts no connections.
        var patience = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard place.withSockaddr({ connect(descriptor, $0, $1) }) == 0 else {
            throw Self.connectError(path: path, code: errno)
        }
        var request = request
        request.address = request.address ?? address
        guard var bytes = try? JSONCoder.bytes(of: request) else { throw failure("the command is not valid JSON") }
        bytes.append(UInt8(ascii: "\n"))
        guard Self.sendAll(bytes, to: descriptor), let line = readLine(descriptor),
            let response = try? CommandResponse(message: line)
        else { throw failure("the agent did not respond; see its log") }
        if let address, response.address != address { throw otherAgentError(response.address, expected: address) }
        return response
    }

    private func otherAgentError(_ other: String?, expected: String) -> ControlError {
        ControlError(
            .otherAgent,
            description:
                "\(path): the agent \(other ?? "without an address") responds on this socket, not \(expected); "
                + "give the configuration of the right agent, and a different control.path to each agent")
    }

    /// Calls ``perform(_:timeoutSeconds:)`` on a thread of its own, so that no thread of the concurrency pool blocks.
    /// - Throws: ``ControlError``, as ``perform(_:timeoutSeconds:)`` does.
    public func response(
        to request: CommandRequest, timeoutSeconds: Int = 60
    ) async throws(ControlError) -> CommandResponse {
        let result = await withCheckedContinuation { continuation in
            let isRunning = WorkerThread.start {
                continuation.resume(
                    returning: Result { () throws(ControlError) in try perform(request, timeoutSeconds: timeoutSeconds)
                    })
            }
            if !isRunning { continuation.resume(returning: .failure(failure("the system starts no more threads"))) }
        }
        return try result.get()
    }

    /// Sends all bytes. A signal can end a call before its last byte.
    private static func sendAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
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
                    "\(path): no agent runs on this socket; start one with `odograph run`, or set --socket")
        case EAGAIN:
            ControlError(.noAnswer, description: "\(path): the agent accepts no connection; it may hang, see its log")
        case EACCES, EPERM:
            ControlError(
                .noPermission,
                description: "\(path): this user has no access to the agent; run this as root or as the agent's user")
        default: ControlError(.noAnswer, description: "\(path): \(String(cString: strerror(code)))")
        }
    }
}
