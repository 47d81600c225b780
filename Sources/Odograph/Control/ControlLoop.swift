import Glibc
import Threads

/// The control server's thread: waits for programs, for what they say, and for the answers. It never waits for a single program.
struct ControlLoop {
    /// The most conversations at once. Where there are as many, one that is idle gives way to a new one.
    static let maximumConversations = 32
    /// The wait after a connection could not be accepted for lack of descriptors or memory.
    private static let acceptingPause = Duration.seconds(1)

    /// A program, and how it is reached.
    private struct Program {
        let identifier: UInt64
        let descriptor: Int32
        var conversation: ControlConversation

        /// What to wait for. A connection that has ended would end every wait at once: it is left out while nothing is to be read.
        var poll: pollfd {
            let isIgnored = conversation.isPeerGone && !conversation.wantsInput
            let events = (conversation.wantsInput ? POLLIN : 0) | (conversation.hasOutput ? POLLOUT : 0)
            return pollfd(fd: isIgnored ? -1 : descriptor, events: Int16(events), revents: 0)
        }
    }

    private let listening: Int32
    private let mailbox: ControlMailbox
    private let answer: @Sendable ([UInt8]?) async -> [UInt8]
    private var programs: [Program] = []
    private var nextIdentifier: UInt64 = 0
    private var acceptsAfter: ContinuousClock.Instant?

    /// - Parameters:
    ///   - listening: the socket that programs connect to, non-blocking.
    ///   - mailbox: brings the answers.
    ///   - answer: makes the answer to a line; to nil that to a line that is too long.
    init(listening: Int32, mailbox: ControlMailbox, answer: @escaping @Sendable ([UInt8]?) async -> [UInt8]) {
        self.listening = listening
        self.mailbox = mailbox
        self.answer = answer
    }

    /// Serves until it is stopped, then closes all connections.
    mutating func run(until isStopped: () -> Bool) {
        while !isStopped() {
            var polls = [
                pollfd(fd: mailbox.wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: mayAccept ? listening : -1, events: Int16(POLLIN), revents: 0),
            ]
            polls += programs.map(\.poll)
            guard poll(&polls, nfds_t(polls.count), timeoutMilliseconds(.now)) >= 0 || errno == EINTR else { break }
            let now = ContinuousClock.now
            if polls[0].revents != 0 { mailbox.wakeUp.clear() }
            for (identifier, bytes) in mailbox.take() {
                guard let index = programs.firstIndex(where: { $0.identifier == identifier }) else { continue }
                programs[index].conversation.answer(bytes, at: now)
            }
            for (index, poll) in zip(programs.indices, polls[2...]) { serve(index, Int32(poll.revents), now) }
            closeEnded(now)
            if let instant = acceptsAfter, instant <= now { acceptsAfter = nil }
            if polls[1].revents != 0 { accept(now) }
        }
        for program in programs { close(program.descriptor) }
        programs = []
    }

    // MARK: Waiting

    private var mayAccept: Bool {
        acceptsAfter == nil
            && (programs.count < Self.maximumConversations || programs.contains { $0.conversation.isIdle })
    }

    private func timeoutMilliseconds(_ now: ContinuousClock.Instant) -> Int32 {
        let deadlines = programs.compactMap(\.conversation.deadline) + [acceptsAfter].compactMap { $0 }
        guard let first = deadlines.min() else { return -1 }
        return max(Int32(clamping: Int((now.duration(to: first) / .milliseconds(1)).rounded(.up))), 0)
    }

    // MARK: Conversations

    private mutating func accept(_ now: ContinuousClock.Instant) {
        let descriptor = Glibc.accept(listening, nil, nil)
        guard descriptor >= 0 else {
            if ![EAGAIN, EINTR, ECONNABORTED].contains(errno) { acceptsAfter = now + Self.acceptingPause }
            return
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if programs.count >= Self.maximumConversations { dropIdle() }
        programs.append(
            Program(identifier: nextIdentifier, descriptor: descriptor, conversation: ControlConversation(at: now)))
        nextIdentifier += 1
    }

    /// Closes the idle conversation that has been silent for the longest time.
    private mutating func dropIdle() {
        let idle = programs.indices.filter { programs[$0].conversation.isIdle }
        let oldest = idle.min { programs[$0].conversation.lastActivity < programs[$1].conversation.lastActivity }
        guard let oldest else { return }
        close(programs.remove(at: oldest).descriptor)
    }

    private mutating func closeEnded(_ now: ContinuousClock.Instant) {
        programs.removeAll { program in
            let isEnded = program.conversation.isOver || program.conversation.deadline.map { $0 <= now } ?? false
            if isEnded { close(program.descriptor) }
            return isEnded
        }
    }

    private mutating func serve(_ index: Int, _ events: Int32, _ now: ContinuousClock.Instant) {
        if events != 0, programs[index].conversation.wantsInput {
            receive(index, now)
        } else if events & Int32(POLLHUP | POLLERR | POLLNVAL) != 0 {
            programs[index].conversation.leave()
        }
        send(index, now)
        guard let step = programs[index].conversation.next() else { return }
        let identifier = programs[index].identifier
        let line: [UInt8]? = if case .answer(let line) = step { line } else { nil }
        Task { [mailbox, answer] in mailbox.put(await answer(line), for: identifier) }
    }

    private mutating func receive(_ index: Int, _ now: ContinuousClock.Instant) {
        let descriptor = programs[index].descriptor
        let count = programs[index].conversation.receive(at: now) { read(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno != EAGAIN, errno != EINTR { programs[index].conversation.breakOff() }
    }

    private mutating func send(_ index: Int, _ now: ContinuousClock.Instant) {
        let descriptor = programs[index].descriptor
        while programs[index].conversation.hasOutput {
            let count = programs[index].conversation.withOutput {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                programs[index].conversation.sent(count, at: now)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                programs[index].conversation.leave()
            }
        }
    }
}
