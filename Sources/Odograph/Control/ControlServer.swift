import Glibc
import Synchronization
import Threads
import Wire

/// Answers local programs: one JSON command a line, one JSON answer a line, over a socket that only the agent's own
/// user (and root) may open.
final class ControlServer: Sendable {
    typealias Answer = @Sendable (CommandRequest) async -> CommandResponse

    /// More programs at once than this have no business here.
    private static let maximumConversations = 32

    private let path: String
    private let wakeUp: WakeUp
    private let isStopped = Atomic(false)

    /// Makes the socket and listens.
    /// - Throws: ``ControlError`` where it cannot be made, or another agent answers on it.
    init(path: String, answer: @escaping Answer) throws(ControlError) {
        self.path = path
        guard let wakeUp = WakeUp() else {
            throw ControlError(
                .unusable, description: "\(path): no file descriptor is left; raise the limit of open files")
        }
        self.wakeUp = wakeUp
        let listening = try Self.listen(at: path)
        let isRunning = WorkerThread.start { [weak self] in
            Self.serve(listening, wakeUp: wakeUp, answer: answer) { self?.isStopped.load(ordering: .acquiring) ?? true }
        }
        guard isRunning else {
            close(listening)
            throw ControlError(.unusable, description: "\(path): the system has no thread left")
        }
    }

    /// Ends all conversations and takes the socket away.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        unlink(path)
        wakeUp.signal()
    }

    /// The thread: waits for programs and for what they say.
    private static func serve(
        _ listening: Int32, wakeUp: WakeUp, answer: @escaping Answer, isStopped: () -> Bool
    ) {
        var conversations: [ControlConversation] = []
        while !isStopped() {
            var polls = [pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)]
            let mayAccept = conversations.count < maximumConversations
            polls.append(pollfd(fd: mayAccept ? listening : -1, events: Int16(POLLIN), revents: 0))
            polls += conversations.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            guard poll(&polls, nfds_t(polls.count), -1) >= 0 || errno == EINTR else { break }
            if polls[0].revents != 0 { wakeUp.clear() }
            for (conversation, poll) in zip(conversations, polls[2...]) where poll.revents != 0 { conversation.read() }
            conversations.removeAll { $0.isClosed }
            if polls[1].revents != 0 {
                let descriptor = accept(listening, nil, nil)
                if descriptor >= 0 { conversations.append(ControlConversation(descriptor: descriptor, answer: answer)) }
            }
        }
        for conversation in conversations { conversation.close() }
        close(listening)
    }

    private static func listen(at path: String) throws(ControlError) -> Int32 {
        let address = try ControlAddress(path)
        if address.isServed {
            throw ControlError(
                .inUse,
                description: "\(path): another agent answers on this control socket; stop it, or set control.path")
        }
        unlink(path)
        let descriptor = socket(AF_UNIX, ControlAddress.streamType, 0)
        guard descriptor >= 0 else {
            throw ControlError(.unusable, description: "\(path): \(String(cString: strerror(errno)))")
        }
        // The mode is set before the name exists, so that nobody else can open it in between.
        fchmod(descriptor, 0o600)
        guard address.withSockaddr({ bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 8) == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw ControlError(
                .unusable,
                description: "\(path): the control socket cannot be made: \(reason); check that its folder exists and "
                    + "that this user may write there, or set control.path")
        }
        return descriptor
    }
}
