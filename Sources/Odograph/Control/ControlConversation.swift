import Glibc
import Threads
import Wire

/// One program's conversation with the agent, on the agent's side. Commands are answered in their order.
final class ControlConversation: Sendable {
    /// A longer line is no command.
    private static let maximumLineBytes = 1 << 20

    private struct State {
        var isClosed = false
        var pending: [UInt8] = []
    }

    /// For `poll`; valid until the conversation is closed.
    let descriptor: Int32
    private let lines: AsyncStream<[UInt8]>.Continuation
    private let state = Lock(State())

    init(descriptor: Int32, answer: @escaping ControlServer.Answer) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let (stream, lines) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(64))
        self.lines = lines
        Task { [weak self] in
            for await line in stream where !line.isEmpty {
                let response = await Self.response(to: line, answer)
                guard let self, let bytes = try? JSONText.bytes(of: response) else { return }
                write(bytes + [UInt8(ascii: "\n")])
            }
        }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Ends the conversation.
    func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            Glibc.close(descriptor)
        }
        lines.finish()
    }

    /// Takes what the program has said. Called by the server's thread only.
    func read() {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return close() }
        let isWithinBounds = state.withLock { state in
            state.pending += chunk[..<count]
            while let newline = state.pending.firstIndex(of: UInt8(ascii: "\n")) {
                lines.yield(Array(state.pending[..<newline]))
                state.pending.removeSubrange(...newline)
            }
            return state.pending.count <= Self.maximumLineBytes
        }
        if !isWithinBounds { close() }
    }

    private static func response(to line: [UInt8], _ answer: ControlServer.Answer) async -> CommandResponse {
        do {
            return await answer(try JSONText.decode(CommandRequest.self, from: line))
        } catch {
            let problem = "no command: write one JSON object a line with \"id\" and \"action\", both strings"
            return CommandResponse(id: "", isDone: false, members: ["error": .string(problem)])
        }
    }

    /// Waits for a slow reader for a second in all, then lets it go. The lock keeps the descriptor from being closed, and
    /// given to somebody else, in the midst of it.
    private func write(_ bytes: [UInt8]) {
        let isDone = state.withLock { state in
            guard !state.isClosed else { return true }
            var rest = bytes[...]
            var patience = 10
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN, patience > 0 {
                    patience -= 1
                    var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&writable, 1, 100)
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
        if !isDone { close() }
    }
}
