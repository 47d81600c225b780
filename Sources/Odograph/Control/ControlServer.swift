import Glibc
import OdographJSON
import Synchronization
import Threads
import Wire

/// Answers local programs: one JSON command a line, one JSON answer a line, over a socket that only the agent's own
/// user (and root) may open.
final class ControlServer: Sendable {
    typealias Handler = @Sendable (CommandRequest) async -> CommandResponse

    private let socket: ControlSocket
    private let mailbox: ResponseMailbox
    private let isStopped = Atomic(false)

    /// Makes the socket and listens.
    /// - Parameters:
    ///   - path: the socket's.
    ///   - address: the agent's; every answer carries it.
    ///   - answer: does a command.
    /// - Throws: ``ControlError`` where the socket cannot be made, or another agent has it.
    init(path: String, address: String, answer: @escaping Handler) throws(ControlError) {
        guard let mailbox = ResponseMailbox() else {
            throw ControlError(
                .unusable, description: "\(path): no file descriptor is left; raise the limit of open files")
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
            throw ControlError(.unusable, description: "\(path): the system has no thread left")
        }
    }

    /// Whether programs find the socket.
    var isBoundToPath: Bool { socket.isBoundToPath }

    /// Ends all conversations and takes the socket away.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        socket.remove()
        mailbox.wakeUp.wake()
    }

    /// The answer to a line as it is sent; to nil, which stands for a line that is too long, as well.
    private static func response(to line: [UInt8]?, address: String, _ answer: Handler) async -> [UInt8] {
        let response: CommandResponse
        if let line {
            if let request = try? JSONCoder.decode(CommandRequest.self, from: line) {
                response = await answer(request)
            } else {
                response = errorResponse(
                    "no command: write one JSON object a line with \"id\" and \"action\", both strings")
            }
        } else {
            response = errorResponse("no command: a line has at most \(CommandRequestParser.maximumBytes) bytes")
        }
        return JSONCoder.payload(of: response.withAddress(address)).bytes + [UInt8(ascii: "\n")]
    }

    private static func errorResponse(_ problem: String) -> CommandResponse {
        CommandResponse(id: "", isSuccess: false, members: ["error": .string(problem)])
    }
}

/// The answers on their way from the tasks that make them to the server's thread.
final class ResponseMailbox: Sendable {
    /// Ends the thread's wait.
    let wakeUp: PollWaker
    private let responses = Lock<[(conversation: UInt64, bytes: [UInt8])]>([])

    /// - Returns: nil where the process has no descriptor left.
    init?() {
        guard let wakeUp = PollWaker() else { return nil }
        self.wakeUp = wakeUp
    }

    /// Hands an answer over.
    func enqueue(_ bytes: [UInt8], for conversation: UInt64) {
        responses.withLock { $0.append((conversation, bytes)) }
        wakeUp.wake()
    }

    /// Takes all that there are.
    func takeAll() -> [(conversation: UInt64, bytes: [UInt8])] {
        responses.withLock { answers in
            defer { answers = [] }
            return answers
        }
    }
}
