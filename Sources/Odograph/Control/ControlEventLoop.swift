import Glibc
import OdographThreads

/// The event loop of the control server's thread. It waits for connections, commands and responses together.
struct ControlEventLoop {
    /// The maximum number of connections. At this number a new connection replaces an idle one.
    static let maximumConnections = 32
    /// The delay after `accept` failed for lack of descriptors or memory.
    private static let acceptRetryDelay = Duration.seconds(1)

    /// A connected program.
    private struct Client {
        let identifier: UInt64
        let descriptor: Int32
        var session: ControlSession

        /// The events to wait for. A closed connection without wanted input is ignored: `poll` would return at once.
        var pollDescriptor: pollfd {
            let isIgnored = session.isOutputClosed && !session.wantsInput
            let events = (session.wantsInput ? POLLIN : 0) | (session.hasOutput ? POLLOUT : 0)
            return pollfd(fd: isIgnored ? -1 : descriptor, events: Int16(events), revents: 0)
        }
    }

    private let listening: Int32
    private let mailbox: ResponseMailbox
    private let answer: @Sendable ([UInt8]?) async -> [UInt8]
    private var clients: [Client] = []
    private var nextIdentifier: UInt64 = 0
    private var acceptRetryTime: ContinuousClock.Instant?

    /// - Parameters:
    ///   - listening: the listening socket, non-blocking.
    ///   - mailbox: delivers the responses.
    ///   - answer: returns the response to a line. Nil stands for a line that is too long.
    init(listening: Int32, mailbox: ResponseMailbox, answer: @escaping @Sendable ([UInt8]?) async -> [UInt8]) {
        self.listening = listening
        self.mailbox = mailbox
        self.answer = answer
    }

    /// Runs until `isStopped` returns true, then closes all connections.
    mutating func run(until isStopped: () -> Bool) {
        while !isStopped() {
            var polls = [
                pollfd(fd: mailbox.wakeUp.readDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: canAccept ? listening : -1, events: Int16(POLLIN), revents: 0),
            ]
            polls += clients.map(\.pollDescriptor)
            guard poll(&polls, nfds_t(polls.count), timeoutMilliseconds(.now)) >= 0 || errno == EINTR else { break }
            let now = ContinuousClock.now
            if polls[0].revents != 0 { mailbox.wakeUp.clear() }
            for (identifier, bytes) in mailbox.takeAll() {
                guard let index = clients.firstIndex(where: { $0.identifier == identifier }) else { continue }
                clients[index].session.enqueueResponse(bytes, at: now)
            }
            for (index, poll) in zip(clients.indices, polls[2...]) { serve(index, Int32(poll.revents), now) }
            closeFinished(now)
            if let instant = acceptRetryTime, instant <= now { acceptRetryTime = nil }
            if polls[1].revents != 0 { accept(now) }
        }
        for program in clients { close(program.descriptor) }
        clients = []
    }

    // MARK: Waiting

    private var canAccept: Bool {
        acceptRetryTime == nil
            && (clients.count < Self.maximumConnections || clients.contains { $0.session.isIdle })
    }

    private func timeoutMilliseconds(_ now: ContinuousClock.Instant) -> Int32 {
        let deadlines = clients.compactMap(\.session.deadline) + [acceptRetryTime].compactMap { $0 }
        guard let first = deadlines.min() else { return -1 }
        return max(Int32(clamping: Int((now.duration(to: first) / .milliseconds(1)).rounded(.up))), 0)
    }

    // MARK: Conversations

    private mutating func accept(_ now: ContinuousClock.Instant) {
        let descriptor = Glibc.accept(listening, nil, nil)
        guard descriptor >= 0 else {
            if ![EAGAIN, EINTR, ECONNABORTED].contains(errno) { acceptRetryTime = now + Self.acceptRetryDelay }
            return
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if clients.count >= Self.maximumConnections { closeOldestIdle() }
        clients.append(
            Client(identifier: nextIdentifier, descriptor: descriptor, session: ControlSession(at: now)))
        nextIdentifier += 1
    }

    /// Closes the idle connection with the oldest activity.
    private mutating func closeOldestIdle() {
        let idle = clients.indices.filter { clients[$0].session.isIdle }
        let oldest = idle.min { clients[$0].session.lastActivity < clients[$1].session.lastActivity }
        guard let oldest else { return }
        close(clients.remove(at: oldest).descriptor)
    }

    private mutating func closeFinished(_ now: ContinuousClock.Instant) {
        clients.removeAll { program in
            let isEnded = program.session.isFinished || program.session.deadline.map { $0 <= now } ?? false
            if isEnded { close(program.descriptor) }
            return isEnded
        }
    }

    private mutating func serve(_ index: Int, _ events: Int32, _ now: ContinuousClock.Instant) {
        if events != 0, clients[index].session.wantsInput {
            receive(index, now)
        } else if events & Int32(POLLHUP | POLLERR | POLLNVAL) != 0 {
            clients[index].session.closeOutput()
        }
        send(index, now)
        guard let step = clients[index].session.nextStep() else { return }
        let identifier = clients[index].identifier
        let line: [UInt8]? = if case .handle(let line) = step { line } else { nil }
        Task { [mailbox, answer] in mailbox.enqueue(await answer(line), for: identifier) }
    }

    private mutating func receive(_ index: Int, _ now: ContinuousClock.Instant) {
        let descriptor = clients[index].descriptor
        let count = clients[index].session.receive(at: now) { read(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno != EAGAIN, errno != EINTR { clients[index].session.disconnect() }
    }

    private mutating func send(_ index: Int, _ now: ContinuousClock.Instant) {
        let descriptor = clients[index].descriptor
        while clients[index].session.hasOutput {
            let count = clients[index].session.withOutput {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                clients[index].session.advanceOutput(by: count, at: now)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                clients[index].session.closeOutput()
            }
        }
    }
}
