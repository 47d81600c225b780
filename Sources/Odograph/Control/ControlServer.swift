import Glibc
import OdographJSON
import Synchronization
import OdographThreads
import OdographWire

/// Serves local programs over a socket that only the agent's own user and root may open. A command is one line of JSON,
/// and so is its response.
final class ControlServer: Sendable {
    typealias Handler = @Sendable (CommandRequest) async -> CommandResponse

    private let socket: ControlSocket
    private let mailbox: ResponseMailbox
    private let isStopped = Atomic(false)

    /// Creates the socket and listens.
    /// - Parameters:
    ///   - path: the path of the socket.
    ///   - address: the address of the agent, which every response contains.
    ///   - answer: executes a command.
    /// - Throws: ``ControlError`` if the socket cannot be created, or another agent uses it.
    init(path: String, address: String, answer: @escaping Handler) throws(ControlError) {
        guard let mailbox = ResponseMailbox() else {
            throw ControlError(
                .unusable, description: "\(path): no file descriptor is available; raise the limit of open files")
        }
        self.mailbox = mailbox
        socket = try ControlSocket(at: path)
        let listening = socket.descriptor
        let isRunning = WorkerThread.start { [weak self] in
            var loop = ControlEventLoop(listening: listening, mailbox: mailbox) { line in
                await Self.response(to: line, address: address, answer)
            }
            loop.run { self?.isStopped.load(ordering: .acquiring) ?? true }
            close(listening)
        }
        guard isRunning else {
            socket.remove()
            close(listening)
            throw ControlError(.unusable, description: "\(path): the system starts no more threads")
        }
    }

    /// Whether programs can find the socket at its path.
    var isBoundToPath: Bool { socket.isBoundToPath }

    /// Ends all connections and removes the socket.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        socket.remove()
        mailbox.wakeUp.wake()
    }

    /// Returns the line with the response to a line. Nil stands for a line that is too long.
    private static func response(to line: [UInt8]?, address: String, _ answer: Handler) async -> [UInt8] {
        let response: CommandResponse
        if let line {
            if let request = try? JSONCoder.decode(CommandRequest.self, from: line) {
                response = await answer(request)
            } else {
                response = errorResponse(
                    "not a command: write one JSON object per line with the strings \"id\" and \"action\"")
            }
        } else {
            response = errorResponse("not a command: a line has at most \(CommandRequestParser.maximumBytes) bytes")
        }
        return JSONCoder.payload(of: response.withAddress(address)).bytes + [UInt8(ascii: "\n")]
    }

    private static func errorResponse(_ problem: String) -> CommandResponse {
        CommandResponse(id: "", isSuccess: false, members: ["error": .string(problem)])
    }
}

/// Passes responses from the tasks that create them to the server's thread.
final class ResponseMailbox: Sendable {
    /// Ends the wait of the thread.
    let wakeUp: PollWaker
    private let responses = Lock<[(conversation: UInt64, bytes: [UInt8])]>([])

    /// - Returns: nil if the process has no descriptor left.
    init?() {
        guard let wakeUp = PollWaker() else { return nil }
        self.wakeUp = wakeUp
    }

    /// Adds a response.
    func enqueue(_ bytes: [UInt8], for conversation: UInt64) {
        responses.withLock { $0.append((conversation, bytes)) }
        wakeUp.wake()
    }

    /// Removes and returns all responses.
    func takeAll() -> [(conversation: UInt64, bytes: [UInt8])] {
        responses.withLock { answers in
            defer { answers = [] }
            return answers
        }
    }
}
